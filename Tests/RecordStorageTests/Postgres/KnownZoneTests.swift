import RecordModel
import RecordStorage
import RecordStorageConformance
import RecordStoragePostgres
import TestSupport
import Testing

/// What a node knows beforehand of zones, and reads without a transaction around them.
@Suite struct KnownZoneTests {
    private func withNodes(_ body: (PostgresStore, PostgresStore) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let url = try StoreEngine.databaseURL(of: directory)
        let nodes = (try PostgresStore(url: url), try PostgresStore(url: url))
        let result: (any Error)?
        do {
            try await body(nodes.0, nodes.1)
            result = nil
        } catch { result = error }
        await nodes.0.close()
        await nodes.1.close()
        if let result { throw result }
    }

    /// The names of the records that a page has, with the number of its zone.
    private func page(_ store: PostgresStore, _ ground: Ground) async throws -> (
        zone: Int64?, names: [String]
    ) {
        try await store.read(.short) { reader in
            let id = DatabaseID(tenant: ground.tenant, owner: "_alice")
            try reader.foresee(PrefetchHint(database: id, zone: ground.zone.name, isWhole: true))
            guard let database = try reader.database(id),
                let zone = try reader.zone(named: ground.zone.name, in: database)
            else { return (nil, []) }
            let scan = RecordScan(
                type: ground.type, zones: [zone.id], condition: .constant(true), sort: [], limit: 10)
            return (zone.id, try ground.names(scan, in: reader).names)
        }
    }

    private func save(_ names: [String], _ store: PostgresStore, _ ground: Ground) async throws {
        try await store.write { writer in
            for name in names { try ground.save(name, ["n": .int64(1)], in: writer) }
        }
    }

    @Test func `A zone that another node replaced is found by its new number`() async throws {
        try await withNodes { first, second in
            let ground = try await Ground.make(first, zone: ZoneID.defaultName)
            try await save(["a"], first, ground)
            for _ in 0..<2 { #expect(try await page(second, ground).names == ["a"]) }
            let before = second.trips.reading
            #expect(try await page(second, ground).names == ["a"])
            #expect(second.trips.reading - before == 1, "its number is known")

            try await first.write { try $0.deleteZone(ground.zone) }
            let gone = try await page(second, ground)
            #expect(gone.zone == nil && gone.names.isEmpty)

            let again = try await Ground.make(first, zone: ZoneID.defaultName)
            try #require(again.zone.id != ground.zone.id)
            try await save(["b"], first, again)
            let found = try await page(second, ground)
            #expect(found.zone == again.zone.id && found.names == ["b"])
        }
    }

    @Test func `A zone that is known and never read is confirmed all the same`() async throws {
        try await withNodes { first, second in
            let ground = try await Ground.make(first, zone: ZoneID.defaultName)
            _ = try await page(second, ground)
            try await first.write { try $0.deleteZone(ground.zone) }
            let zone = try await second.read(.short) { reader in
                let id = DatabaseID(tenant: ground.tenant, owner: "_alice")
                try reader.foresee(PrefetchHint(database: id, zone: ZoneID.defaultName))
                return try reader.database(id).flatMap {
                    try reader.zone(named: ZoneID.defaultName, in: $0)?.id
                }
            }
            #expect(zone == nil)
        }
    }

    @Test func `Who says to ask once and asks twice sees one moment`() async throws {
        try await withNodes { first, second in
            let ground = try await Ground.make(first, zone: ZoneID.defaultName)
            try await save(["a"], first, ground)
            _ = try await page(second, ground)
            let asked = try await second.read(.short) { reader in
                let id = DatabaseID(tenant: ground.tenant, owner: "_alice")
                try reader.foresee(PrefetchHint(database: id, zone: ZoneID.defaultName, isWhole: true))
                let before = try reader.lastSequence()
                let names = try ground.names(ground.scan(), in: reader).names
                return (before, names, try reader.lastSequence())
            }
            #expect(asked.1 == ["a"] && asked.0 == asked.2)
        }
    }

    @Test func `What is asked together without a transaction is of one moment`() async throws {
        try await withNodes { first, second in
            let ground = try await Ground.make(first, zone: ZoneID.defaultName)
            let other = try await Ground.make(first, zone: ZoneID.defaultName, type: "Other")
            try await save(["a"], first, ground)
            try await save(["b"], first, other)
            _ = try await page(second, ground)
            let rounds = 60
            async let writes: Void = {
                for number in 0..<rounds {
                    try await first.write { writer in
                        try ground.save("a", ["n": .int64(Int64(number))], in: writer)
                        try other.save("b", ["n": .int64(Int64(number))], in: writer)
                    }
                }
            }()
            for _ in 0..<rounds {
                let tags = try await second.read(.short) { reader in
                    let id = DatabaseID(tenant: ground.tenant, owner: "_alice")
                    try reader.foresee(
                        PrefetchHint(
                            database: id, zone: ZoneID.defaultName, records: ["a", "b"], isWhole: true))
                    return try ["a", "b"].map { try reader.record(named: $0, in: other.zone.id)?.sequence }
                }
                let a = try #require(tags[0])
                let b = try #require(tags[1])
                #expect(b == a + 1, "both were written together")
            }
            try await writes
        }
    }
}
