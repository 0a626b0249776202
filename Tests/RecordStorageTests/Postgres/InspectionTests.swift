import PostgresAccess
import RecordModel
import RecordStorage
import RecordStorageConformance
import RecordStorageOpening
import TestSupport
import Testing

/// What `stratus doctor` says of a PostgreSQL database.
@Suite struct PostgresInspectionTests {
    /// A way to damage a database, and the check that has to find it.
    private static let damages: [(check: String, sql: String)] = [
        ("tables", "ALTER TABLE r1 RENAME TO lost"),
        ("tables", "CREATE TABLE r77 (id int8)"),
        ("directory", "DELETE FROM directory WHERE name = 'a'"),
        ("directory", "UPDATE directory SET sequence = 0 WHERE name = 'a'"),
        ("directory", "DELETE FROM r1 WHERE name = 'a'"),
        ("sequence", "UPDATE meta SET value = 1 WHERE key = 'sequence'"),
        ("references", "UPDATE reference SET owner = 'nobody'"),
        ("assets", "DELETE FROM asset"),
        ("assets", "UPDATE asset_use SET owner = 'nobody' WHERE owner = 'a'"),
        ("bodies", "UPDATE r1 SET body = '{' WHERE name = 'a'"),
        ("bodies", "UPDATE r1 SET body = convert_to('{\"recordName\":\"b\"', 'UTF8') WHERE name = 'a'"),
        ("layout", "UPDATE meta SET value = 99 WHERE key = 'layout'"),
        ("layout", "DELETE FROM meta WHERE key = 'layout'"),
    ]

    @Test func `What is whole is good, and each damage is found by its check`() async throws {
        let directory = try TemporaryDirectory()
        let url = try StoreEngine.databaseURL(of: directory)
        let store = try StoreLocation.postgres(url: url).open()
        let ground = try await Ground.make(store)
        // A zone without a feed, in which a record was changed.
        let plain = try await Ground.make(store, zone: ZoneID.defaultName)
        try await store.write { store in
            for _ in 0..<2 {
                var record = plain.record("plain", ["n": .int64(2)], sequence: try store.nextSequence())
                record.body = Array(#"{"recordName":"plain","recordType":"Note""#.utf8)
                if let row = try store.record(named: "plain", in: plain.zone.id) {
                    try store.update(row, with: record)
                } else {
                    try store.insert(record)
                }
            }
        }
        let digest = try #require(AssetDigest(bytes: Array(repeating: 1, count: 32)))
        try await store.write { store in
            try store.noteAsset(AssetContent(digest: digest, size: 1), at: 1)
            for name in ["a", "b"] {
                var record = ground.record(
                    name, ["n": .int64(1)], sequence: try store.nextSequence(),
                    references: name == "b"
                        ? [("to", Reference(recordName: "a", action: .deleteSelf))] : [])
                record.body = Array(#"{"recordName":"\#(name)","recordType":"Note""#.utf8)
                record.assets = [("file", digest)]
                try store.insert(record)
            }
        }
        await store.close()

        // The tests' server does not wait for its disk, which is a finding of its own.
        func findings() throws -> [StoreFinding] {
            try StoreLocation.postgres(url: url).inspect().filter { $0.check != "server" }
        }
        let wrong = try findings().filter { $0.severity != .good }
        #expect(wrong.isEmpty, "\(wrong)")
        let server = try StoreLocation.postgres(url: url).inspect().filter { $0.check == "server" }
        #expect(server.last?.severity == .problem && server.last?.message.contains("fsync") == true)

        let cluster = try PostgresCluster.shared()
        let connection = try PostgresConnection(url: cluster.url)
        defer { connection.close() }
        let whole = try #require(url.split(separator: "?").first?.split(separator: "/").last)
        for (number, damage) in Self.damages.enumerated() {
            let name = "\(whole)_\(number)"
            try connection.run(sql: "CREATE DATABASE \(name) TEMPLATE \(whole)")
            let copy = cluster.url(ofDatabase: name)
            let damaging = try PostgresConnection(url: copy)
            try damaging.run(sql: damage.sql)
            damaging.close()
            let wrong = try StoreLocation.postgres(url: copy).inspect()
                .filter { $0.check != "server" && $0.severity == .problem }.map(\.check)
            #expect(wrong.first == damage.check, "\(damage.sql): \(wrong)")
        }
    }
}
