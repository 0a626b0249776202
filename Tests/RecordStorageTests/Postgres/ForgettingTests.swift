import PostgresAccess
import RecordModel
import RecordStorage
import RecordStorageConformance
import TestSupport
import Testing

@testable import RecordStoragePostgres

/// When PostgreSQL's change feeds forget deletions; `ForgottenDeletionTests` has what clients are told then.
@Suite struct ForgettingTests {
    @Test func `Deletions are forgotten that are old and not among the last changes`() async throws {
        let directory = try TemporaryDirectory()
        let store = try PostgresStore(url: StoreEngine.databaseURL(of: directory))
        let ground = try await Ground.make(store, fields: [("n", FieldType(.int64))])
        func tombstones() async throws -> Int64 {
            try await store.read(.long) { reader in
                let reader = try #require(reader as? PostgresReader)
                let command = PostgresCommand(sql: "SELECT count(*) FROM directory WHERE deleted")
                return try reader.ask(command).int(0, 0)
            }
        }
        func delete(_ names: Range<Int>) async throws {
            for name in names {
                try await store.write { try ground.save("r\(name)", in: $0) }
                try await store.write { try ground.delete("r\(name)", in: $0) }
            }
        }
        let horizon = PostgresStore.DeletionHorizon(milliseconds: 1_000, changes: 4)
        try await delete(0..<10)
        #expect(try await store.forgetDeletions(now: 10_000, horizon: horizon) == 0, "none is old")
        try await delete(10..<12)
        #expect(try await store.forgetDeletions(now: 10_999, horizon: horizon) == 0)
        // Those before the first look are older than a second, and these four changes are the last.
        #expect(try await store.forgetDeletions(now: 11_000, horizon: horizon) == 10)
        #expect(try await tombstones() == 2)
        #expect(try await store.forgetDeletions(now: 99_000, horizon: horizon) == 0, "the last changes stay")
        try await delete(12..<15)
        #expect(try await store.forgetDeletions(now: 100_000, horizon: horizon) == 2)
        #expect(try await store.forgetDeletions(now: 200_000, horizon: horizon) == 1)
        #expect(try await tombstones() == 2)
        await store.close()
    }

    @Test func `No zone gets the number of one that is forgotten`() async throws {
        let directory = try TemporaryDirectory()
        let store = try PostgresStore(url: StoreEngine.databaseURL(of: directory))
        let ground = try await Ground.make(store, fields: [("n", FieldType(.int64))])
        let database = ground.zone.database
        let old = try await store.write { try $0.makeZone(named: "old", in: database) }
        try await store.write { try $0.deleteZone(old) }
        let horizon = PostgresStore.DeletionHorizon(milliseconds: 0, changes: 0)
        _ = try await store.forgetDeletions(now: 10_000, horizon: horizon)
        for step in 0..<5 as Range<Int64> {
            try await store.write { try ground.save("r", in: $0) }
            _ = try await store.forgetDeletions(now: 100_000 * (step + 1), horizon: horizon)
        }
        #expect(try await store.read(.short) { try $0.zone(numbered: old.id) } == nil, "it is forgotten")
        let new = try await store.write { try $0.makeZone(named: "new", in: database) }
        #expect(new.id > old.id)
        await store.close()
    }
}
