import RecordModel
import RecordStorage
import RecordWire
import SchemaLanguage
import TestSupport
import Testing

@testable import RecordEngine

/// What a reset of development takes away, and what comes back of it.
@Suite(.serialized) struct RemovedByResetTests {
    private typealias Parts = RemovedPartTests

    private static func reset(
        _ store: any RecordStore, _ keeping: RemovalKeeping = Parts.keeping
    ) async throws -> SchemaReset.Summary {
        try await SchemaReset.apply(
            container: try Parts.tenant().container, store: store, keeping: keeping)
    }

    private static func hasZone(_ store: any RecordStore) async throws -> Bool {
        let database = DatabaseID(tenant: try Parts.tenant(), owner: "_one")
        return try await store.read(.short) { reader in
            try reader.database(database).flatMap { try reader.zone(named: "Zone", in: $0) } != nil
        }
    }

    // Some, and more than are kept in one write.
    @Test(arguments: StoreEngine.allCases, [7, 250])
    func `What a reset takes comes back, with the zones that had it`(_ engine: StoreEngine, _ count: Int)
        async throws
    {
        try await engine.run { store in
            let tenant = try Parts.tenant()
            try await Parts.fill(store, count)
            let before = try await Parts.notes(store)
            let summary = try await Self.reset(store)
            #expect(summary.types == 2 && summary.records == 3 * count && summary.zones == 1)
            #expect(try await Parts.notes(store).isEmpty)
            #expect(try await !Self.hasZone(store))
            // A type without records has nothing to keep.
            #expect(try await Parts.parts(store).map(\.title) == ["Note"])
            // What an app makes in the meantime stays, and so does its zone.
            if count == 7 {
                try await Parts.take([try Parts.record("n0", title: "new", size: nil)], "_one", "Zone", store)
            }
            let outcome = try await RemovedParts.bringBack("Note", in: tenant, store: store)
            #expect(outcome.refusals == [] && outcome.passedOver == (count == 7 ? 1 : 0))
            #expect(outcome.records + outcome.passedOver == 3 * count)
            var after = try await Parts.notes(store)
            #expect(after["_one/Zone/n0"]?.contains("new") == (count == 7))
            after["_one/Zone/n0"] = before["_one/Zone/n0"]
            #expect(after == before)
            #expect(try await Parts.parts(store).isEmpty)
            let type = try #require(store.schema(of: tenant).types["Note"])
            #expect(count == 7 || type["title"]?.indexes == .queryable)
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func `A reset loses nothing that was kept before it`(_ engine: StoreEngine) async throws {
        try await engine.run { store in
            let tenant = try Parts.tenant()
            try await Parts.fill(store, 120)
            let before = try await Parts.notes(store)
            try await Parts.remove("size", store)
            let second = RemovalKeeping(days: 30, now: { 2_000_000 })
            #expect(try await Self.reset(store, second).types == 2)
            // Again, with nothing there: what is kept stays where it is.
            _ = try await Self.reset(store, RemovalKeeping(days: 30, now: { 3_000_000 }))
            #expect(try await Parts.parts(store).map(\.title) == ["Note", "Note.size"])
            #expect(try await RemovedParts.bringBack("Note", in: tenant, store: store).refusals == [])
            let sizes = try await RemovedParts.bringBack("Note.size", in: tenant, store: store)
            #expect(sizes.records == 3 * 96 && sizes.passedOver == 0 && sizes.refusals == [])
            #expect(try await Parts.notes(store) == before)
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func `What changes before the reset itself is kept as it is then`(_ engine: StoreEngine) async throws {
        try await engine.run { store in
            let tenant = try Parts.tenant()
            try await Parts.fill(store, 220)
            let work = RemovalWork(store, tenant, Parts.keeping, isReset: true)
            let prepared = try await work.prepare([.typeRemoved("Note"), .typeRemoved("Other")])
            #expect(prepared.values.map(\.count).sorted() == [0, 660])
            try await Parts.take(
                [
                    try Parts.record("n7", title: "late", size: 70, at: 9),
                    try Parts.record("fresh", title: "fresh", size: 1),
                ], "_one", "Zone", store)
            let before = try await Parts.notes(store)
            // It ended there, and is done again.
            _ = try await Self.reset(store, RemovalKeeping(days: 30, now: { 2_000_000 }))
            _ = try await RemovedParts.bringBack("Note", in: tenant, store: store)
            #expect(try await Parts.notes(store) == before)
        }
    }

    @Test(arguments: StoreEngine.allCases.filter { $0 != .postgres })
    func `A zone that there is no room for is told, and its records stay kept`(_ engine: StoreEngine)
        async throws
    {
        try await engine.run { store in
            let tenant = try Parts.tenant()
            try await Parts.fill(store, 3)
            _ = try await Self.reset(store)
            let database = DatabaseID(tenant: tenant, owner: "_one")
            let intake = RecordIntake(store: store, database: database, now: { 5 })
            try await store.write { store in
                let number = try store.makeDatabase(database)
                for zone in 0..<Limits.zonesPerDatabase {
                    _ = try store.makeZone(named: "z\(zone)", in: number)
                }
            }
            let full = try await RemovedParts.bringBack("Note", in: tenant, store: store)
            #expect(full.records == 6 && full.refusals.count == 3)
            #expect(full.refusals.allSatisfy { $0.contains("\(Limits.zonesPerDatabase) zones") })
            #expect(try await intake.deleteZone(named: "z0"))
            let rest = try await RemovedParts.bringBack("Note", in: tenant, store: store)
            #expect(rest.records == 3 && rest.refusals == [])
            #expect(try await Parts.parts(store).isEmpty)
            #expect(try await Self.hasZone(store))
        }
    }

    @Test func `Nothing is kept where the operator keeps nothing, and files come back`() async throws {
        try await TestCloud.run { cloud in
            let receipt = try await cloud.upload(Array("file".utf8))
            try await cloud.save("r", file: receipt)
            let tenant = Tenant(container: cloud.container, environment: .development)
            func reset(days: Int) async throws {
                let now = cloud.wait(milliseconds: 1)
                _ = try await SchemaReset.apply(
                    container: cloud.container, store: cloud.store,
                    keeping: RemovalKeeping(days: days, now: { now }))
                _ = try await cloud.service.sweepAssets()
                try await cloud.service.sweepVersions()
                cloud.wait(milliseconds: 23 * 3_600_000)
            }
            try await reset(days: 2)
            try await reset(days: 2)
            #expect(try await RemovedParts.bringBack("Photo", in: tenant, store: cloud.store).records == 1)
            let record = try #require(try await cloud.record("r"))
            let address = try #require(record["fields"]["file"]["value"]["downloadURL"].string)
            #expect(try await cloud.download(address) == Array("file".utf8))
            try await reset(days: 0)
            #expect(!cloud.schema(.development).types.keys.contains { $0.hasPrefix("~") })
            #expect(try await cloud.problems() == [])
        }
    }

    @Test func `Who has gone is gone from what a reset kept`() async throws {
        try await TestCloud.run { cloud in
            let tenant = Tenant(container: cloud.container, environment: .development)
            let alice = TestCloud.Sender.alice.userName
            try await cloud.store.write { store in
                try store.insert(
                    UserRow(tenant: tenant, recordName: alice, label: "alice", createdAt: 1))
            }
            try await cloud.makeZones("Zone")
            try await cloud.save("post", ["n": ["value": 1]], in: .public)
            try await cloud.save("other", ["n": ["value": 2]], as: .bob, in: .public)
            try await cloud.save("tracked", ["n": ["value": 4]], zone: "Zone")
            _ = try await SchemaReset.apply(
                container: cloud.container, store: cloud.store, keeping: Parts.keeping)

            try await Users.remove("alice", from: tenant, now: 1, store: cloud.store)
            try await cloud.reopen()
            var done: Set<ErasureRow> = []
            try await cloud.service.eraseUsers(passing: &done) { _, _ in }
            try await cloud.store.read(.short) { store throws in
                let database = try #require(try store.database(DatabaseID(tenant: tenant, owner: alice)))
                #expect(try store.versionUsage(of: database).versions == 0)
            }
            let part = try #require(try await Parts.parts(cloud.store, tenant).first)
            let back = try await RemovedParts.bringBack(part.title, in: tenant, store: cloud.store)
            #expect(back.records == 1 && back.refusals == [])
            #expect(try await cloud.record("other", as: .bob, in: .public) != nil)
        }
    }
}
