import PostgresAccess
import RecordModel
import RecordStorage
import RecordStorageConformance
import RecordStorageOpening
import TestSeeds
import TestSupport
import Testing

/// Tables that are filled for the first time, of which PostgreSQL has no statistics yet.
@Suite struct UnplannedTableTests {
    @Test func `Batches into a new database look at what they ask for, not at all that is there`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let url = try StoreEngine.databaseURL(of: directory)
        let store = try StoreLocation.postgres(url: url).open()
        let ground = try await Ground.make(store)
        let (batches, size) = (20, 100)
        for batch in 0..<batches {
            let names = (0..<size).map { "\(batch)-\($0)" }
            try await store.write { store in
                try store.foresee(
                    PrefetchHint(
                        database: DatabaseID(tenant: ground.tenant, owner: "_alice"), zone: "Zone",
                        records: names, types: ["Note"], referrers: true))
                for name in names {
                    var record = ground.record(
                        name, ["n": .int64(1)], sequence: try store.nextSequence(),
                        references: [("to", Reference(recordName: "0-0", action: .deleteSelf))])
                    record.body = Array(#"{"recordName":"\#(name)","recordType":"Note""#.utf8)
                    try store.insert(record)
                }
            }
        }
        await store.close()

        // Sessions tell what they read when they end.
        let connection = try PostgresConnection(url: url)
        defer { connection.close() }
        for table in ["directory", "reference", "r1"] {
            let read = PostgresStatement(
                """
                SELECT coalesce(idx_tup_fetch, 0) + seq_tup_read FROM pg_stat_user_tables
                WHERE relname = '\(table)' AND n_tup_ins = \(batches * size)
                """)
            try #require(try await eventually { try connection.run(read).count == 1 })
            let rows = try connection.run(read).int(0, 0)
            #expect(rows <= 3 * Int64(batches * size), "\(rows) rows of \(table) were read")
        }
    }
}
