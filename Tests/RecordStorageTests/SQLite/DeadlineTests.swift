import RecordModel
import RecordStorage
import RecordStorageConformance
import SQLiteAccess
import TestSupport
import Testing

@testable import RecordStorageSQLite

@Suite struct DeadlineTests {
    static let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

    @Test(arguments: [
        endless, "SELECT stratus_text(printf('%.*c', 5000, 'x'), 'contains', 'y', 0)",
    ])
    func `Work beyond the deadline ends as such`(_ sql: String) throws {
        let directory = try TemporaryDirectory()
        let connection = try Connection(path: directory.path + "/file.sqlite", role: .writer, cacheKiB: 1_024)
        defer { connection.close() }
        connection.allow(until: 0)
        let statement = try connection.statement(sql)
        let error = #expect(throws: StorageError.self) { try statement.step() }
        #expect(error?.code == "STORAGE_TIMEOUT")
        #expect(error?.message.contains("\(Limits.querySeconds) seconds") == true)
        connection.allow(until: nil)
        let next = try connection.statement("SELECT stratus_text('abc', 'contains', 'b', 0)")
        #expect(try next.step())
        #expect(next.int(0) == 1)
        next.reset()
    }

    @Test func `A read that ran out of time leaves its connection as good as new`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Ground.make(store)
        for _ in 0..<8 {
            let error = await #expect(throws: StorageError.self) {
                try await store.read(.short) { store in
                    let reader = try #require(store as? SQLiteReader)
                    reader.connection.allow(until: 0)
                    _ = try reader.connection.statement(Self.endless).step()
                }
            }
            #expect(error?.isTemporary == true)
            #expect(try await store.read(.short) { try $0.record(named: "a", in: ground.zone.id) } == nil)
        }
        await store.close()
    }
}
