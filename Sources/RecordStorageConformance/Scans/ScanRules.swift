import RecordModel
import RecordStorage
import RecordWire
import TestSeeds
import Testing

/// Queries: what they find, and in which order.
enum ScanRules {
    static let all = [
        conditions, pagesOfAnySize, numbersInLists, smallScans,
    ]

    static func fill(_ store: any RecordStore, _ random: inout Random, rows: Int) async throws -> (
        Ground, [ConditionModel]
    ) {
        let ground = try await Ground.make(store, fields: Random.fields)
        let models = (0..<rows).map { ConditionModel(name: "r\($0)", fields: random.recordFields()) }
        try await store.write { store in
            for model in models { try ground.save(model.name, model.fields, in: store) }
        }
        return (ground, models)
    }

    static let conditions = StoreRule(
        "Every condition finds what its documentation says", seeds: Seed.some(4)
    ) { engine, seed in
        var random = seed.random
        try await engine.run { store in
            let (ground, models) = try await Self.fill(store, &random, rows: 80)
            for _ in 0..<400 {
                let condition = random.condition(ground.type)
                let expected = models.filter { $0.holds(condition) }.map(\.name)
                let scan = ground.scan(condition)
                let (names, count) = try await store.read(.long) { reader in
                    (try ground.names(scan, in: reader).names, try reader.count(scan))
                }
                #expect(names == expected, "\(condition)")
                #expect(count == expected.count, "\(condition)")
            }
        }
    }

    static let pagesOfAnySize = StoreRule(
        "Pages of any size put together are the whole, in its order",
        seeds: Seed.some(4, failed: [848_771_320_238_593_682])
    ) { engine, seed in
        var random = seed.random
        try await engine.run { store in
            let (ground, models) = try await Self.fill(store, &random, rows: 90)
            let second = try await Ground.make(store, zone: "Second", fields: Random.fields)
            let more = (0..<40).map { ConditionModel(name: "s\($0)", fields: random.recordFields()) }
            try await store.write { store in
                for model in more { try second.save(model.name, model.fields, in: store) }
            }
            for _ in 0..<60 {
                let condition = random.oneIn(2) ? Condition.constant(true) : random.condition(ground.type)
                var scan = ground.scan(condition, sort: random.sort(ground.type))
                let isWide = random.oneIn(3)
                if isWide { scan.zones = [ground.zone.id, second.zone.id] }
                let whole = try await Self.read(scan, ground, store)
                let expected = (models + (isWide ? more : [])).filter { $0.holds(condition) }
                #expect(Set(whole.names) == Set(expected.map(\.name)))
                #expect(whole.names.count == expected.count)
                #expect(whole.next == nil)
                Self.checkOrder(whole.names, expected, scan.sort)
                var paged: [String] = []
                scan.limit = random.int(1...20)
                repeat {
                    // Some pages end before their limit, where their reader has no room for more.
                    let room = random.oneIn(2) ? random.int(1...20) : .max
                    let page = try await Self.read(scan, ground, store, room: room)
                    paged += page.names
                    #expect(page.next == nil || page.names.count == min(scan.limit, room))
                    scan.after = page.next
                } while scan.after != nil && paged.count <= 1_000
                #expect(paged == whole.names, "\(scan.sort) \(condition)")
            }
        }
    }

    private static func read(
        _ scan: RecordScan, _ ground: Ground, _ store: any RecordStore, room: Int = .max
    ) async throws -> (names: [String], next: ScanCursor?) {
        try await store.read(store.effort(of: scan)) { reader in
            let (names, outcome) = try ground.names(scan, in: reader, room: room)
            return (names, outcome.next)
        }
    }

    private static func checkOrder(_ names: [String], _ models: [ConditionModel], _ sort: [SortKey]) {
        let byName = Dictionary(uniqueKeysWithValues: models.map { ($0.name, $0) })
        for (left, right) in zip(names, names.dropFirst()) {
            guard let first = byName[left], let second = byName[right] else { continue }
            for key in sort {
                let values = [first, second].map { key.value(of: $0) }
                if values[0] == values[1] { continue }
                // Missing values are smaller than all others.
                let order = ConditionModel.order(values[0], values[1]) ?? (values[0] == .null ? -1 : 1)
                if order == 0 { continue }
                #expect((order < 0) == key.ascending, "\(left) before \(right) by \(key)")
                break
            }
        }
    }

    static let numbersInLists = StoreRule(
        "Numbers in lists are found by their exact value", seeds: Seed.some(2)
    ) { engine, seed in
        var random = seed.random
        try await engine.run { store in
            let ground = try await Ground.make(store, fields: Random.fields)
            let column = try ground.column("ds")
            let whole = try ground.column("ns")
            let doubles =
                (0..<400).map { _ in random.finiteDouble() } + [
                    5e-300, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
                ]
            let ints = doubles.map { _ in Int64(bitPattern: random.next()) }
            try await store.write { store in
                for (number, double) in doubles.enumerated() {
                    let fields: [String: FieldValue] = [
                        "ds": .list([.double(double)], of: .double),
                        "ns": .list([.int64(ints[number])], of: .int64),
                    ]
                    try ground.save("r\(number)", fields, in: store)
                }
            }
            try await store.read(.long) { store in
                for (number, double) in doubles.enumerated() {
                    for condition in [
                        Condition.anyElement(column, .compare(.equal, .double(double))),
                        .anyElement(whole, .compare(.equal, .int(ints[number]))),
                    ] {
                        let names = try ground.names(ground.scan(condition), in: store).names
                        #expect(names.contains("r\(number)"), "\(double) \(ints[number])")
                        #expect(names.count <= 2)
                    }
                }
            }
        }
    }

    static let smallScans = StoreRule("A scan of no rows, of no zones and of a limit of one") { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            #expect(try await Self.read(ground.scan(), ground, store).names.isEmpty)
            try await store.write { store in
                for name in ["a", "b"] { try ground.save(name, in: store) }
            }
            var scan = ground.scan(limit: 1)
            let first = try await Self.read(scan, ground, store)
            #expect(first.names == ["a"])
            scan.after = first.next
            let second = try await Self.read(scan, ground, store)
            #expect(second.names == ["b"])
            #expect(second.next == nil)
            scan.zones = []
            scan.after = nil
            #expect(try await Self.read(scan, ground, store).names.isEmpty)
            scan.zones = Array(1_000...1_300)
            #expect(try await Self.read(scan, ground, store).names.isEmpty)
        }
    }
}

extension SortKey {
    func value(of model: ConditionModel) -> StorageValue {
        switch source {
        case .column(let column): return model.value(column)
        case .distance(let field, let from):
            guard case .location(let place)? = model.fields[field.name] else { return .null }
            return .double(place.distanceMetres(to: from))
        case .nearness(let field, let to):
            guard case .location(let place)? = model.fields[field.name] else {
                return .double(SortKey.nowhere)
            }
            return .double(place.distanceMetres(to: to))
        }
    }
}
