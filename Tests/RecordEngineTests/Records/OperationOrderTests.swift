import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// The operations of a request have no order: what becomes of them is the same however a client lists them.
@Suite struct OperationOrderTests {
    /// Every order of a few things.
    private static func orders<Element>(_ elements: [Element]) -> [[Element]] {
        guard elements.count > 1 else { return [elements] }
        return elements.indices.flatMap { index in
            var rest = elements
            let first = rest.remove(at: index)
            return orders(rest).map { [first] + $0 }
        }
    }

    private static func delete(_ name: String) -> JSONValue { TestCloud.operation("forceDelete", name) }

    @Test(arguments: [nil, "Zone"] as [String?], [true, false])
    func `A hierarchy of parents is deleted in any order, its root first among them`(
        _ zone: String?, _ atomic: Bool
    ) async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            let names = ["root", "child", "grand"]
            for order in Self.orders(names) {
                let saves = [
                    TestCloud.operation("create", "root"),
                    TestCloud.operation("create", "child", parent: "root"),
                    TestCloud.operation("create", "grand", parent: "child"),
                ]
                #expect(try await cloud.modify(saves, zone: zone, atomic: atomic).codes == [nil, nil, nil])
                let answer = try await cloud.modify(order.map(Self.delete), zone: zone, atomic: atomic)
                #expect(answer.codes == [nil, nil, nil], "\(order)")
                // The items stand in the order of the operations.
                #expect(answer.names == order)
                #expect(answer.records.allSatisfy { $0["deleted"] == true })
                for name in names { #expect(try await cloud.record(name, zone: zone) == nil) }
            }
        }
    }

    @Test(arguments: ["DELETE_SELF", "VALIDATE"])
    func `Two records and the one they refer to are deleted in any order, with their tags`(_ action: String)
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            for order in Self.orders(["target", "a", "b"]) {
                let saves = [
                    TestCloud.operation("create", "target"), ReferenceTests.holder("a", "target", action),
                    ReferenceTests.holder("b", "target", action),
                ]
                let saved = try await cloud.modify(saves, zone: "Zone")
                let tags = Dictionary(
                    uniqueKeysWithValues: zip(saved.names, saved.records.map { $0["recordChangeTag"].string })
                )
                let deletes = order.map { TestCloud.operation("delete", $0, tag: tags[$0] ?? nil) }
                #expect(try await cloud.modify(deletes, zone: "Zone").codes == [nil, nil, nil], "\(order)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `The target goes with an update that takes the last reference to it away`(_ atomic: Bool)
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            for action in ["VALIDATE", "DELETE_SELF"] {
                for order in Self.orders([0, 1]) {
                    try await cloud.modify(
                        [
                            TestCloud.operation("forceUpdate", "target"),
                            ReferenceTests.holder("holder", "target", action),
                        ],
                        zone: "Zone")
                    let operations = [
                        Self.delete("target"),
                        TestCloud.operation("forceUpdate", "holder", fields: ["link": ["value": nil]]),
                    ]
                    let answer = try await cloud.modify(
                        order.map { operations[$0] }, zone: "Zone", atomic: atomic)
                    #expect(answer.codes == [nil, nil], "\(action) \(order)")
                    #expect(try await cloud.record("target", zone: "Zone") == nil)
                    #expect(try await cloud.record("holder", zone: "Zone") != nil)
                }
            }
        }
    }

    @Test func `A deletion that is held back keeps all that hangs on it, and nothing else`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            let saves = [
                TestCloud.operation("create", "root"), TestCloud.operation("create", "child", parent: "root"),
                TestCloud.operation("create", "stays", parent: "child"),
                TestCloud.operation("create", "free"),
            ]
            try await cloud.modify(saves, zone: "Zone")
            for order in Self.orders(["root", "child", "free"]) {
                let atomic = try await cloud.modify(order.map(Self.delete), zone: "Zone")
                #expect(Set(atomic.codes) == ["VALIDATING_REFERENCE_ERROR", "ATOMIC_ERROR"])
            }
            let answer = try await cloud.modify(
                ["root", "free", "child"].map(Self.delete), zone: "Zone", atomic: false)
            #expect(answer.codes == ["VALIDATING_REFERENCE_ERROR", nil, "VALIDATING_REFERENCE_ERROR"])
            let reasons = answer.records.map { $0["reason"].string ?? "" }
            #expect(reasons[0].contains("recordID=child"))
            #expect(reasons[2].contains("recordID=stays"))
        }
    }

    @Test func `Deletions make room for saves of the same request, in any order`() async throws {
        try await TestCloud.run(quotas: StorageQuotas(perUser: 40_000)) { cloud in
            func save(_ name: String, _ count: Int) -> JSONValue {
                TestCloud.operation(
                    "forceUpdate", name,
                    fields: ["t": ["value": .string(String(repeating: "x", count: count))]])
            }
            try await cloud.makeZones("Zone")
            #expect(try await cloud.modify([save("big", 30_000)], zone: "Zone").codes == [nil])
            for order in Self.orders([0, 1, 2]) {
                let operations = [Self.delete("big"), save("one", 15_000), save("two", 15_000)]
                let answer = try await cloud.modify(order.map { operations[$0] }, zone: "Zone")
                #expect(answer.codes == [nil, nil, nil], "\(order)")
                let back = [Self.delete("one"), Self.delete("two"), save("big", 30_000)]
                #expect(
                    try await cloud.modify(order.map { back[$0] }, zone: "Zone").codes == [nil, nil, nil])
                // There is no more room than what goes.
                let more = [Self.delete("big"), save("one", 15_000), save("two", 30_000)]
                let refused = try await cloud.modify(order.map { more[$0] }, zone: "Zone")
                #expect(Set(refused.codes) == ["QUOTA_EXCEEDED", "ATOMIC_ERROR"], "\(order)")
                let some = try await cloud.modify(order.map { more[$0] }, zone: "Zone", atomic: false)
                #expect(some.codes.count { $0 == nil } == 2 && some.codes.contains("QUOTA_EXCEEDED"))
                let names = ["one", "two"].map(Self.delete)
                #expect(
                    try await cloud.modify(names + [save("big", 30_000)], zone: "Zone").codes.allSatisfy {
                        $0 == nil
                    })
            }
        }
    }

    @Test func `The place of a reference that is deleted counts as free, in any order`() async throws {
        try await TestCloud.run { cloud in
            let most = Limits.deleteSelfReferencesPerTarget
            try await cloud.makeZones("Zone")
            try await cloud.save("target", ["n": ["value": 1]], zone: "Zone")
            for start in stride(from: 0, to: most, by: 150) {
                try await cloud.modify(
                    (start..<start + 150).map { ReferenceTests.holder("h\($0)", "target", "DELETE_SELF") },
                    zone: "Zone")
            }
            let more = ReferenceTests.holder("more", "target", "DELETE_SELF")
            let others = [TestCloud.operation("create", "other"), more]
            let refused = try await cloud.modify(others, zone: "Zone")
            #expect(refused.codes == ["ATOMIC_ERROR", "QUOTA_EXCEEDED"])
            #expect(refused.records[1]["exceededLimit"] == "deleteSelfReferencesPerTarget")
            let elsewhere = ReferenceTests.holder("h1", "other", "DELETE_SELF")
            #expect(try await cloud.modify([Self.delete("h0"), more], zone: "Zone").codes == [nil, nil])
            let again = ReferenceTests.holder("h0", "target", "DELETE_SELF")
            #expect(try await cloud.modify([again, elsewhere], zone: "Zone").codes == [nil, nil])
        }
    }

    // MARK: A law

    /// A record of the model: what it refers to.
    private struct Links: Equatable {
        var taken: String?
        var held: String?
        var parent: String?

        init() {}

        init(_ random: inout Random) {
            if random.oneIn(2) { taken = random.pick(OperationOrderTests.names, else: "a") }
            if random.oneIn(3) { held = random.pick(OperationOrderTests.names, else: "a") }
            if random.oneIn(3) { parent = random.pick(OperationOrderTests.names, else: "a") }
        }

        init(_ record: JSONValue) {
            taken = record["fields"]["taken"]["value"]["recordName"].string
            held = record["fields"]["held"]["value"]["recordName"].string
            parent = record["parent"]["recordName"].string
        }

        func operation(_ name: String) -> JSONValue {
            var fields: JSONValue = ["n": ["value": 1]]
            if let taken {
                fields = fields.with(
                    "taken", ["value": ["recordName": .string(taken), "action": "DELETE_SELF"]])
            }
            if let held {
                fields = fields.with("held", ["value": ["recordName": .string(held), "action": "VALIDATE"]])
            }
            return TestCloud.operation("forceReplace", name, fields: fields, parent: parent)
        }
    }

    /// What an operation does: saves with these links, or deletes.
    private typealias Change = (name: String, links: Links?)

    private static let names = ["a", "b", "c", "d", "e", "f"]

    /// The state after some changes; nil where they cannot be done together.
    private static func state(after changes: [Change], from start: [String: Links]) -> [String: Links]? {
        var state = start
        for change in changes { if let links = change.links { state[change.name] = links } }
        for change in changes {
            guard let links = change.links else { continue }
            guard [links.held, links.parent].allSatisfy({ $0 == nil || state[$0 ?? ""] != nil }) else {
                return nil
            }
            guard links.parent != start[change.name]?.parent || start[change.name] == nil else { continue }
            var above = links.parent
            for _ in names {
                if above == change.name { return nil }
                above = above.flatMap { state[$0]?.parent }
            }
        }
        var gone = Set(changes.filter { $0.links == nil && state[$0.name] != nil }.map(\.name))
        while let next = state.first(where: { !gone.contains($0.key) && gone.contains($0.value.taken ?? "") })
        {
            gone.insert(next.key)
        }
        let left = state.filter { !gone.contains($0.key) }
        let isHeld = left.values.contains { gone.contains($0.held ?? "") || gone.contains($0.parent ?? "") }
        return isHeld ? nil : left
    }

    private static func operations(_ changes: [Change]) -> [JSONValue] {
        changes.map { $0.links?.operation($0.name) ?? delete($0.name) }
    }

    private static func stored(_ cloud: TestCloud, _ zone: String) async throws -> [String: Links] {
        let records = try await cloud.changes(zone: zone).records
        return Dictionary(uniqueKeysWithValues: records.map { ($0["recordName"].string ?? "", Links($0)) })
    }

    @Test(arguments: Seed.some(3))
    func `What becomes of a batch does not depend on the order of its operations`(_ seed: Seed) async throws {
        var random = seed.random
        try await TestCloud.run { cloud in
            var (taken, refused) = (0, 0)
            for number in 0..<24 {
                let first = Self.names.filter { _ in random.oneIn(2) }.map { ($0, Links(&random)) as Change }
                guard let start = Self.state(after: first, from: [:]) else { continue }
                let changes = Self.names.filter { _ in random.oneIn(2) }.map { name -> Change in
                    (name, random.oneIn(2) ? nil : Links(&random))
                }
                let expected = Self.state(after: changes, from: start)
                for (turn, isAtomic) in [true, true, true, false, false].enumerated() {
                    let zone = "Z\(number)-\(turn)"
                    try await cloud.makeZones(zone)
                    let made = try await cloud.modify(
                        Self.operations(first.shuffled(using: &random)), zone: zone)
                    #expect(made.codes.allSatisfy { $0 == nil }, "\(made.json.text)")
                    let order = changes.shuffled(using: &random)
                    let answer = try await cloud.modify(Self.operations(order), zone: zone, atomic: isAtomic)
                    let state = try await Self.stored(cloud, zone)
                    let good = zip(order, answer.codes).filter { $0.1 == nil }.map(\.0)
                    if isAtomic {
                        #expect(
                            (good.count == order.count) == (expected != nil),
                            "\(start) \(order) \(answer.codes)")
                        #expect(state == expected ?? start, "\(start) \(order) \(answer.codes)")
                    } else {
                        // Those that went well make up a batch that goes well.
                        #expect(
                            state == Self.state(after: good, from: start), "\(start) \(order) \(answer.codes)"
                        )
                    }
                }
                if expected == nil { refused += 1 } else { taken += 1 }
            }
            #expect(taken > 0 && refused > 0, "The law needs both: \(taken) and \(refused)")
        }
    }
}
