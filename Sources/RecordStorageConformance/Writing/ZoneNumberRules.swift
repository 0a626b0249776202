import RecordModel
import RecordStorage
import TestSeeds
import Testing

/// Zones by their numbers: there may be more of them than an engine has places to lay their rows apart.
enum ZoneNumberRules {
    static let all = [farZones, lastZone]

    /// Three numbers whose rows may share a place, and one beside them.
    private static let numbers: [Int64] = [
        5_000_000, 5_000_000 + 1 << 22, 5_000_000 + 1 << 33, 5_000_001 + 1 << 33,
    ]
    private static let perZone = 7

    static let farZones = StoreRule("Zones of any number keep their records apart") { engine in
        try await engine.run { store in
            let grounds = try await Self.fill(store)
            for (index, ground) in grounds.enumerated() {
                try await Self.check(ground, Self.names(index), store)
            }
            // All of them at once, each row with its zone.
            var wide = grounds[0].scan(sort: [SortKey(.column(try grounds[0].column("n")), ascending: true)])
            wide.zones = grounds.map(\.zone.id)
            let found = try await store.read(.long) { [wide] reader in
                var zones: [Int64] = []
                _ = try reader.scan(wide) { row in
                    zones.append(row.zone)
                    return true
                }
                return zones
            }
            #expect(found == (0..<Self.perZone).flatMap { _ in grounds.map(\.zone.id) })

            try await store.write { try $0.deleteZone(grounds[1].zone) }
            let type = grounds[0].type
            let left = try await store.read(.long) { reader in
                (try reader.recordCount(of: type), try reader.hasRecords(of: type))
            }
            #expect(left.0 == Self.perZone * 4 && left.1)
            let isCounted = try await eventually {
                try await store.read(.short) { try $0.usage(of: grounds[0].zone.database).records }
                    == Int64(Self.perZone * 4)
            }
            #expect(isCounted)
            for (index, ground) in grounds.enumerated() where index != 1 {
                try await Self.check(ground, Self.names(index), store)
            }
            // The name is free, and its new zone is another.
            let again = try await store.write { store in
                try store.makeZone(named: grounds[1].zone.name, in: grounds[1].zone.database)
            }
            #expect(again.id > Self.numbers[3])
            #expect(try await store.read(.long) { try $0.record(named: "z1-0", in: again.id) } == nil)
        }
    }

    static let lastZone = StoreRule("Numbers end with a clear error, and nothing is written") { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            let error = await #expect(throws: StorageError.self) {
                try await store.write { store in
                    try Self.raise(to: 1 << 40 - 2, store)
                    let last = try store.makeZone(named: "Last", in: ground.zone.database)
                    #expect(last.id == 1 << 40 - 1)
                    _ = try store.makeZone(named: "One more", in: ground.zone.database)
                }
            }
            #expect(error?.code == "STORAGE_USED_UP" && error?.isTemporary == false)
            try await store.write { try ground.save("a", in: $0) }
            #expect(
                try await store.read(.short) { try $0.zone(named: "Last", in: ground.zone.database) } == nil)
        }
    }

    private static func raise(to number: Int64, _ store: any StoreWriter) throws {
        var counters = try store.counters()
        counters.zone = number
        try store.restore([.counters(counters)])
    }

    private static func names(_ index: Int) -> [String] { (0..<perZone).map { "z\(index)-\($0)" } }

    /// Makes the zones and stores their records in turns.
    private static func fill(_ store: any RecordStore) async throws -> [Ground] {
        var grounds = [try await Ground.make(store)]
        for number in numbers {
            var ground = grounds[0]
            ground.zone = try await store.write { [ground] store in
                try raise(to: number - 1, store)
                return try store.makeZone(named: "Zone \(number)", in: ground.zone.database)
            }
            #expect(ground.zone.id == number)
            grounds.append(ground)
        }
        try await store.write { [grounds] store in
            for row in 0..<perZone {
                for (index, ground) in grounds.enumerated() {
                    try ground.save("z\(index)-\(row)", ["n": .int64(Int64(row))], in: store)
                }
            }
        }
        return grounds
    }

    /// A zone has just these records, in the order in which they were made, by pages in either direction.
    private static func check(_ ground: Ground, _ names: [String], _ store: any RecordStore) async throws {
        try await store.read(.long) { reader in
            var scan = ground.scan(limit: 3)
            var (paged, back) = ([String](), ScanCursor?.none)
            repeat {
                let page = try ground.names(scan, in: reader)
                paged += page.names
                (scan.after, back) = (page.outcome.next, page.outcome.back)
            } while scan.after != nil && paged.count <= names.count
            #expect(paged == names)
            scan.after = back
            scan.isBackward = true
            #expect(try ground.names(scan, in: reader).names == [names[5], names[4], names[3]])
            #expect(try reader.count(ground.scan()) == names.count)
            let one = ground.scan(.compare(try ground.column("n"), .equal, .int(4)))
            #expect(try ground.names(one, in: reader).names == [names[4]])
            for name in names {
                #expect(try reader.record(named: name, in: ground.zone.id)?.zone == ground.zone.id)
            }
        }
    }
}
