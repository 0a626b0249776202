import PostgresAccess
import RecordModel
import RecordStorage
import RecordStorageConformance
import RecordStorageOpening
import TestSupport
import Testing

/// Changes of tables beside transactions that read them for long.
@Suite struct TableChangeTests {
    @Test func `Fields that wait for a reader let other writes pass, and are there once it is gone`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let url = try StoreEngine.databaseURL(of: directory)
        let store = try StoreLocation.postgres(url: url).open()
        let ground = try await Ground.make(store)
        let reader = try PostgresConnection(url: url)
        defer { reader.close() }
        try reader.run(sql: "BEGIN")
        try reader.run(sql: "SELECT count(*) FROM r\(ground.type.id)")

        // More of them than one commit gathers with the writes beside them.
        let fields = (0..<4).map { number in
            Task {
                try await store.write { store in
                    let type = try #require(store.schema(of: ground.tenant).types["Note"])
                    _ = try store.addField(
                        named: "late\(number)", type: FieldType(.int64),
                        indexes: .all(for: FieldType(.int64)),
                        to: type, tenant: ground.tenant)
                }
            }
        }
        for number in 0..<20 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for part in 0..<3 {
                    group.addTask {
                        try await store.write {
                            try ground.save("\(number)-\(part)", ["n": .int64(1)], in: $0)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let columns = PostgresStatement(
            "SELECT count(*) FROM pg_attribute WHERE attrelid = '\("r\(ground.type.id)")'::regclass AND attname ~ '^c[0-9]+$'"
        )
        let count = try reader.run(columns).int(0, 0)
        #expect(count == 2, "\(count) columns beside the reader")
        try reader.run(sql: "COMMIT")
        for field in fields { try await field.value }
        #expect(try reader.run(columns).int(0, 0) == 6)
        let names = try #require(store.schema(of: ground.tenant).types["Note"]).fields.map(\.name)
        #expect(names.count == 6 && Set(names).isSuperset(of: (0..<4).map { "late\($0)" }))
        let stored = try await store.read(.long) { store in
            try (0..<20).allSatisfy { try store.record(named: "\($0)-2", in: ground.zone.id) != nil }
        }
        #expect(stored)
        await store.close()
    }

    @Test func `A store that closes finishes the fields that wait for a reader`() async throws {
        let directory = try TemporaryDirectory()
        let url = try StoreEngine.databaseURL(of: directory)
        let store = try StoreLocation.postgres(url: url).open()
        let ground = try await Ground.make(store)
        let reader = try PostgresConnection(url: url)
        defer { reader.close() }
        try reader.run(sql: "BEGIN")
        try reader.run(sql: "SELECT count(*) FROM r\(ground.type.id)")
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let field = Task {
            try await store.write { store in
                beginning.yield()
                let type = try #require(store.schema(of: ground.tenant).types["Note"])
                _ = try store.addField(
                    named: "late", type: FieldType(.int64), indexes: .all(for: FieldType(.int64)), to: type,
                    tenant: ground.tenant)
            }
        }
        for await _ in begun { break }
        let closing = Task { await store.close() }
        try await Task.sleep(for: .milliseconds(300))
        try reader.run(sql: "COMMIT")
        await closing.value
        try await field.value
        let again = try StoreLocation.postgres(url: url).open()
        #expect(again.schema(of: ground.tenant).types["Note"]?["late"] != nil)
        await again.close()
    }
}
