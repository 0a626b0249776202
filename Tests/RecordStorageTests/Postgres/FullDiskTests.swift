import PostgresAccess
import RecordStorage
import RecordStoragePostgres
import TestSupport
import Testing

/// A real server that refuses a row with the code that a full disk has: people are told to free space, not to look for
/// a server that is there. The disk is not filled, since tests may not mount one of their own.
@Suite(.serialized) struct FullDiskTests {
    @Test func `A full disk is told apart from a server that is away`() async throws {
        let cluster = try PostgresCluster()
        let connection = try PostgresConnection(url: cluster.url)
        let store = try PostgresStore(url: cluster.url)
        try connection.run(
            sql: """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$
                """)
        try connection.run(
            sql: "CREATE TRIGGER refuse BEFORE INSERT ON operator FOR EACH ROW EXECUTE FUNCTION refuse()")
        let insert = { try await store.write { try $0.insert(OperatorRow(name: "one", createdAt: 1)) } }
        let error = await #expect(throws: StorageError.self) { try await insert() }
        #expect(error?.isFull == true, "\(error.map(String.init(describing:)) ?? "stored")")
        try connection.run(sql: "DROP TRIGGER refuse ON operator")
        try await insert()
        #expect(try await store.read(.short) { try $0.operators().map(\.name) } == ["one"])
        await store.close()
        connection.close()
    }
}
