import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct ReferenceTests {
    static func link(_ target: String, _ action: String, zone: JSONValue? = nil) -> JSONValue {
        var value: JSONValue = ["recordName": .string(target), "action": .string(action)]
        if let zone { value = value.with("zoneID", zone) }
        return ["link": ["value": value, "type": "REFERENCE"]]
    }

    static func holder(_ name: String, _ target: String, _ action: String) -> JSONValue {
        TestCloud.operation("forceUpdate", name, fields: link(target, action))
    }

    @Test(arguments: [nil, "Zone"] as [String?])
    func `Deleting a record deletes chains and circles of those that refer to it so`(_ zone: String?)
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.save("root", ["n": ["value": 1]], zone: zone)
            let operations = [
                Self.holder("a", "root", "DELETE_SELF"), Self.holder("b", "a", "DELETE_SELF"),
                Self.holder("c", "b", "DELETE_SELF"), Self.holder("free", "root", "NONE"),
                TestCloud.operation(
                    "create", "list",
                    fields: [
                        "links": [
                            "value": [["recordName": "c", "action": "DELETE_SELF"]], "type": "REFERENCE_LIST",
                        ]
                    ]),
            ]
            #expect(try await cloud.modify(operations, zone: zone).codes == [nil, nil, nil, nil, nil])
            // The circle: the root refers to the end of the chain.
            #expect(
                try await cloud.modify([Self.holder("root", "c", "DELETE_SELF")], zone: zone).codes == [nil])
            #expect(
                try await cloud.modify([TestCloud.operation("forceDelete", "root", type: nil)], zone: zone)
                    .codes == [nil])
            for gone in ["root", "a", "b", "c", "list"] {
                #expect(try await cloud.record(gone, zone: zone) == nil, "\(gone)")
            }
            #expect(try await cloud.record("free", zone: zone) != nil)
            if let zone {
                // Another client of the feed learns of all of them.
                let feed = try await cloud.changes(zone: zone)
                #expect(feed.records.compactMap { $0["recordName"].string } == ["free"])
            }
        }
    }

    @Test func `A record that refers to itself can be deleted`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("bystander", ["n": ["value": 1]])
            for action in ["DELETE_SELF", "VALIDATE"] {
                #expect(try await cloud.modify([Self.holder("self", "self", action)]).codes == [nil])
                #expect(try await cloud.modify([TestCloud.operation("forceDelete", "self")]).codes == [nil])
                #expect(try await cloud.record("self") == nil)
            }
        }
    }

    @Test func `So many records refer to one with DELETE_SELF, and no more`() async throws {
        try await TestCloud.run { cloud in
            let most = Limits.deleteSelfReferencesPerTarget
            try await cloud.save("target", ["n": ["value": 1]])
            // References of other kinds do not count, also when they come first by name.
            for start in stride(from: 0, to: 800, by: 200) {
                let validating = (start..<start + 200).map { Self.holder("a\($0)", "target", "VALIDATE") }
                #expect(try await cloud.modify(validating).codes.allSatisfy { $0 == nil })
            }
            for start in stride(from: 0, to: most, by: 150) {
                let operations = (start..<start + 150).map { Self.holder("h\($0)", "target", "DELETE_SELF") }
                #expect(try await cloud.modify(operations).codes.allSatisfy { $0 == nil })
            }
            #expect(
                try await cloud.modify([Self.holder("more", "target", "DELETE_SELF")]).codes == [
                    "QUOTA_EXCEEDED"
                ])
            // One that already exists may be saved again.
            #expect(try await cloud.modify([Self.holder("h0", "target", "DELETE_SELF")]).codes == [nil])
            #expect(try await cloud.modify([Self.holder("h0", "other", "DELETE_SELF")]).codes == [nil])
            #expect(try await cloud.modify([Self.holder("more", "target", "DELETE_SELF")]).codes == [nil])
        }
    }

    @Test(arguments: [nil, "Zone"] as [String?])
    func `VALIDATE wants its target, and holds it`(_ zone: String?) async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            let missing = try await cloud.modify([Self.holder("a", "none", "VALIDATE")], zone: zone)
            #expect(missing.codes == ["VALIDATING_REFERENCE_ERROR"])
            try await cloud.save("target", ["n": ["value": 1]], zone: zone)
            #expect(
                try await cloud.modify([Self.holder("a", "target", "VALIDATE")], zone: zone).codes == [nil])
            for operation in ["forceDelete", "delete"] {
                let tag = try await cloud.record("target", zone: zone)?["recordChangeTag"].string
                let answer = try await cloud.modify(
                    [TestCloud.operation(operation, "target", tag: tag)], zone: zone)
                #expect(answer.codes == ["VALIDATING_REFERENCE_ERROR"])
                #expect(
                    answer.json["records"][0]["reason"].string?.hasPrefix("Field=link, recordID=a, title=")
                        == true)
            }
            #expect(
                try await cloud.modify([TestCloud.operation("forceReplace", "a")], zone: zone).codes == [nil])
            #expect(
                try await cloud.modify([TestCloud.operation("forceDelete", "target")], zone: zone).codes == [
                    nil
                ])
        }
    }

    @Test func `A record that goes by a cascade does not hold another back`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("root", ["n": ["value": 1]])
            try await cloud.modify([Self.holder("child", "root", "DELETE_SELF")])
            try await cloud.modify([
                TestCloud.operation(
                    "create", "both",
                    fields: [
                        "up": ["value": ["recordName": "child", "action": "DELETE_SELF"]],
                        "check": ["value": ["recordName": "root", "action": "VALIDATE"]],
                    ])
            ])
            #expect(try await cloud.modify([TestCloud.operation("forceDelete", "root")]).codes == [nil])
            #expect(try await cloud.record("both") == nil)
        }
    }

    @Test(arguments: [true, false])
    func `The target of VALIDATE may come with the same batch, in any order`(_ targetFirst: Bool) async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            let holder = Self.holder("a", "b", "VALIDATE")
            let target = TestCloud.operation("create", "b")
            for zone in [nil, "Zone"] {
                let answer = try await cloud.modify(
                    targetFirst ? [target, holder] : [holder, target], zone: zone)
                #expect(answer.codes == [nil, nil])
            }
            // Two that refer to each other.
            let pair = try await cloud.modify([
                Self.holder("x", "y", "VALIDATE"), Self.holder("y", "x", "VALIDATE"),
            ])
            #expect(pair.codes == [nil, nil])
        }
    }

    @Test(arguments: [true, false])
    func `A target of the batch that fails does not count`(_ targetFirst: Bool) async throws {
        try await TestCloud.run { cloud in
            let holder = Self.holder("a", "b", "VALIDATE")
            let second = Self.holder("c", "a", "VALIDATE")
            let failing = TestCloud.operation("create", "b", fields: ["_bad": ["value": 1]])
            let good = TestCloud.operation("create", "good")
            let order = targetFirst ? [failing, holder, second, good] : [second, holder, good, failing]
            let answer = try await cloud.modify(order)
            let codes: [String?] =
                targetFirst
                ? ["BAD_REQUEST", "VALIDATING_REFERENCE_ERROR", "VALIDATING_REFERENCE_ERROR", nil]
                : ["VALIDATING_REFERENCE_ERROR", "VALIDATING_REFERENCE_ERROR", nil, "BAD_REQUEST"]
            #expect(answer.codes == codes)
            for name in ["a", "b", "c"] { #expect(try await cloud.record(name) == nil) }
            #expect(try await cloud.record("good") != nil)
        }
    }

    @Test func `A parent has to be there, and cannot go before its children`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            let orphan = try await cloud.modify(
                [TestCloud.operation("create", "child", parent: "parent")], zone: "Zone")
            #expect(orphan.codes == ["VALIDATING_REFERENCE_ERROR"])
            let family = try await cloud.modify(
                [
                    TestCloud.operation("create", "child", parent: "parent"),
                    TestCloud.operation("create", "parent"),
                ], zone: "Zone")
            #expect(family.codes == [nil, nil])
            #expect(try await cloud.record("child", zone: "Zone")?["parent"]["recordName"] == "parent")
            #expect(
                try await cloud.modify([TestCloud.operation("forceDelete", "parent")], zone: "Zone").codes
                    == ["VALIDATING_REFERENCE_ERROR"])
            // An update that does not speak of the parent keeps it; a replacement drops it.
            try await cloud.save("child", ["n": ["value": 1]], zone: "Zone")
            #expect(try await cloud.record("child", zone: "Zone")?["parent"]["recordName"] == "parent")
            #expect(
                try await cloud.modify([TestCloud.operation("forceReplace", "child")], zone: "Zone").codes
                    == [nil])
            #expect(try await cloud.record("child", zone: "Zone")?["parent"] == .null)
            #expect(
                try await cloud.modify([TestCloud.operation("forceDelete", "parent")], zone: "Zone").codes
                    == [nil])
        }
    }

    @Test func `References stay in their zone and with their owner`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("A", "B")
            let zones: [(JSONValue, String?)] = [
                (["zoneName": "A"], nil), (["zoneName": "B"], "BAD_REQUEST"), ([:], "BAD_REQUEST"),
                (["zoneName": "A", "ownerRecordName": .string(TestCloud.Sender.alice.userName)], nil),
                (
                    ["zoneName": "A", "ownerRecordName": .string(TestCloud.Sender.bob.userName)],
                    "BAD_REQUEST"
                ),
                (["zoneName": "A", "ownerName": "_defaultOwner"], nil),
            ]
            for action in ["NONE", "DELETE_SELF"] {
                for (zone, code) in zones {
                    let answer = try await cloud.modify(
                        [TestCloud.operation("forceUpdate", "a", fields: Self.link("t", action, zone: zone))],
                        zone: "A")
                    #expect(answer.codes == [code], "\(zone.text)")
                }
            }
        }
    }

    /// Who may change a record may be held back by it, and nobody else.
    @Test(arguments: [true, false])
    func `In a public database others' references do not keep a record from being deleted`(
        _ isRestricted: Bool
    ) async throws {
        try await TestCloud.run { cloud in
            if !isRestricted { try await cloud.grant(.write, to: "_icloud") }
            func save(_ operation: JSONValue, as sender: TestCloud.Sender) async throws {
                #expect(try await cloud.modify([operation], as: sender, in: .public).codes == [nil])
            }
            func delete(_ name: String, as sender: TestCloud.Sender) async throws -> String? {
                let operation = TestCloud.operation("forceDelete", name, type: nil)
                return try await cloud.modify([operation], as: sender, in: .public).codes.first ?? "?"
            }
            for name in ["mine", "chained", "both"] {
                try await save(TestCloud.operation("create", name, fields: ["n": ["value": 1]]), as: .alice)
            }
            // Another user's reference, and one that holds a record which is to go with mine.
            try await save(Self.holder("foreign", "mine", "VALIDATE"), as: .bob)
            try await save(Self.holder("child", "chained", "DELETE_SELF"), as: .bob)
            try await save(Self.holder("grandchild", "child", "VALIDATE"), as: .bob)
            try await save(Self.holder("own", "both", "VALIDATE"), as: .alice)
            try await save(Self.holder("foreign2", "both", "VALIDATE"), as: .bob)
            let code = isRestricted ? nil : "VALIDATING_REFERENCE_ERROR"
            #expect(try await delete("mine", as: .alice) == code)
            #expect(try await delete("chained", as: .alice) == code)
            #expect(try await delete("both", as: .alice) == "VALIDATING_REFERENCE_ERROR", "by her own record")
            #expect(try await delete("own", as: .alice) == nil)
            #expect(try await delete("both", as: .alice) == code)
            guard isRestricted else { return }
            for gone in ["mine", "chained", "child", "both"] {
                #expect(try await cloud.record(gone, in: .public) == nil, "\(gone)")
            }
            for left in ["foreign", "grandchild", "foreign2"] {
                #expect(try await cloud.record(left, in: .public) != nil, "\(left): its reference dangles")
            }
            #expect(try await delete("foreign", as: .alice) == "ACCESS_DENIED")
            #expect(try await delete("foreign", as: .bob) == nil)
        }
    }

    @Test func `In a private database every VALIDATE reference counts`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("target", ["n": ["value": 1]])
            #expect(try await cloud.modify([Self.holder("holder", "target", "VALIDATE")]).codes == [nil])
            let operation = TestCloud.operation("forceDelete", "target", type: nil)
            #expect(try await cloud.modify([operation]).codes == ["VALIDATING_REFERENCE_ERROR"])
        }
    }

    @Test func `A parent that is null is taken away`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.modify(
                [
                    TestCloud.operation("create", "top"),
                    TestCloud.operation("create", "child", parent: "top"),
                ], zone: "Zone")
            func update(_ more: JSONValue) async throws {
                let record: JSONValue = ["recordName": "child", "recordType": "Note"]
                let operation: JSONValue = [
                    "operationType": "forceUpdate",
                    "record": more.object.map { object in
                        object.members.reduce(record) { $0.with($1.key, $1.value) }
                    } ?? record,
                ]
                #expect(try await cloud.modify([operation], zone: "Zone").codes == [nil])
            }
            try await update([:])
            #expect(try await cloud.record("child", zone: "Zone")?["parent"]["recordName"] == "top")
            try await update(["parent": .null])
            #expect(try await cloud.record("child", zone: "Zone")?["parent"] == .null)
            #expect(
                try await cloud.modify([TestCloud.operation("forceDelete", "top")], zone: "Zone").codes == [
                    nil
                ])
        }
    }

    @Test func `A chain of references whose end fails takes one more round`() async throws {
        try await TestCloud.run { cloud in
            func link(_ number: Int, of count: Int) -> JSONValue {
                let reference: JSONValue = [
                    "value": ["recordName": .string("r\(number + 1)"), "action": "VALIDATE"],
                    "type": "REFERENCE",
                ]
                return TestCloud.operation("create", "r\(number)", fields: ["next": reference])
            }
            let operations = (0..<200).map { link($0, of: 200) }
            let answer = try await cloud.modify(operations, in: .public)
            #expect(answer.codes.allSatisfy { $0 == "VALIDATING_REFERENCE_ERROR" })
            // With its end, the chain is there.
            let whole = Array(operations.dropLast()) + [TestCloud.operation("create", "r199")]
            #expect(try await cloud.modify(whole, in: .public).codes.allSatisfy { $0 == nil })
        }
    }
}
