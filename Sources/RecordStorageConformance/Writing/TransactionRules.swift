import RecordModel
import RecordStorage
import TestSeeds
import Testing

/// What one write is, beside others.
enum TransactionRules {
    static let all = [
        throwingWrite, sequenceNumbers, shortMoment, longMoment, acknowledged, errors,
    ]

    static let throwingWrite = StoreRule(
        "A write that throws leaves nothing, and those committed with it stay"
    ) { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            let before = try await store.read(.short) { try $0.lastSequence() }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        do {
                            try await store.write { writer in
                                try ground.save("r\(number)", ["n": .int64(Int64(number))], in: writer)
                                if number % 3 == 0 {
                                    var type = try writer.makeType(
                                        named: "Bad\(number)", tenant: ground.tenant)
                                    type = try writer.addField(
                                        named: "x", type: FieldType(.string), indexes: [.queryable], to: type,
                                        tenant: ground.tenant)
                                    _ = try writer.makeZone(named: "Bad\(number)", in: ground.zone.database)
                                    throw TestFailure("on purpose")
                                }
                                if number % 7 == 1 {
                                    _ = try writer.makeType(named: "Good\(number)", tenant: ground.tenant)
                                }
                            }
                            #expect(number % 3 != 0)
                        } catch {
                            #expect(error is TestFailure && number % 3 == 0, "\(error)")
                        }
                    }
                }
            }
            let names = try await store.read(.long) { try ground.names(ground.scan(), in: $0).names }
            #expect(Set(names) == Set((0..<60).filter { $0 % 3 != 0 }.map { "r\($0)" }))
            let types = store.schema(of: ground.tenant).types.keys
            #expect(
                Set(types)
                    == Set(["Note"] + (0..<60).filter { $0 % 3 != 0 && $0 % 7 == 1 }.map { "Good\($0)" }))
            let zones = try await store.read(.short) { try $0.zones(in: ground.zone.database).map(\.name) }
            #expect(zones == ["Zone", "_defaultZone"])
            #expect(try await store.read(.short) { try $0.lastSequence() } > before)
            // The types that were rolled back can be made again, and work.
            try await store.write { writer in
                var type = try writer.makeType(named: "Bad0", tenant: ground.tenant)
                type = try writer.addField(
                    named: "x", type: FieldType(.string), indexes: [.queryable], to: type,
                    tenant: ground.tenant)
                let other = Ground(tenant: ground.tenant, zone: ground.zone, type: type)
                try other.save("again", ["x": .string("y")], in: writer)
            }
        }
    }

    static let sequenceNumbers = StoreRule("Sequence numbers of many writers are unique and grow") { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            let numbers = await withTaskGroup(of: [Int64].self) { group in
                for writer in 0..<64 {
                    group.addTask {
                        var given: [Int64] = []
                        for round in 0..<5 {
                            // One of five fails on purpose; what others lost is missing below.
                            let numbers = try? await store.write { store -> [Int64] in
                                let numbers = [try store.nextSequence(), try store.nextSequence()]
                                try store.insert(ground.record("r\(writer)-\(round)", sequence: numbers[1]))
                                if round == 2 { throw TestFailure("on purpose") }
                                return numbers
                            }
                            #expect((numbers == nil) == (round == 2))
                            if let numbers {
                                #expect(numbers[0] < numbers[1])
                                given += numbers
                            }
                        }
                        return given
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            #expect(numbers.count == 64 * 4 * 2)
            #expect(Set(numbers).count == numbers.count)
            let last = try await store.read(.short) { try $0.lastSequence() }
            #expect(last >= numbers.max() ?? .max)
            let stored = try await store.read(.short) { reader -> [Int64] in
                var sequences: [Int64] = []
                try reader.changes(ChangeFeed(zone: ground.zone.id, after: 0, limit: 10_000)) {
                    sequences.append($0.sequence)
                    return true
                }
                return sequences
            }
            #expect(stored.count == 64 * 4)
            #expect(stored == stored.sorted())
        }
    }

    static let shortMoment = oneMoment(.short)
    static let longMoment = oneMoment(.long)

    private static func oneMoment(_ effort: ReadEffort) -> StoreRule {
        StoreRule("A read sees one moment while others write, with \(effort) reads") { engine in
            try await engine.run { store in
                let ground = try await Ground.make(store)
                // Two records that always change together.
                try await store.write { store in
                    for name in ["a", "b"] { try ground.save(name, ["n": .int64(0)], in: store) }
                }
                async let writing: Void = {
                    for value in 1...150 {
                        try await store.write { store in
                            for name in ["a", "b"] {
                                try ground.save(name, ["n": .int64(Int64(value))], in: store)
                            }
                        }
                    }
                }()
                var last: Int64 = 0
                for _ in 0..<120 {
                    let states = try await store.read(effort) { reader in
                        try ["a", "b"].map {
                            try reader.record(named: $0, in: ground.zone.id)?.sequence ?? -1
                        }
                    }
                    #expect(states[1] == states[0] + 1, "half a write was seen: \(states)")
                    #expect(states[0] >= last)
                    last = states[0]
                }
                try await writing
            }
        }
    }

    static let acknowledged = StoreRule(
        "What was acknowledged is seen by the next read, and by the next write"
    ) { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            for round in 0..<30 {
                try await store.write { try ground.save("r\(round)", in: $0) }
                let row = try await store.read(.short) {
                    try $0.record(named: "r\(round)", in: ground.zone.id)
                }
                #expect(row?.name == "r\(round)")
                #expect(
                    try await store.write { try $0.record(named: "r\(round)", in: ground.zone.id) } == row)
            }
        }
    }

    static let errors = StoreRule("Errors of a closure come through as they are") { engine in
        try await engine.run { store in
            await #expect(throws: TestFailure.self) {
                try await store.read(.short) { _ in throw TestFailure("read") }
            }
            await #expect(throws: TestFailure.self) {
                try await store.read(.long) { _ in throw TestFailure("read") }
            }
            await #expect(throws: TestFailure.self) {
                try await store.write { _ in throw TestFailure("write") }
            }
            #expect(store.health == .good)
        }
    }
}
