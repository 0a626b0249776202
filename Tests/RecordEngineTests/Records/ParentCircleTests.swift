import RecordModel
import RecordWire
import TestSupport
import Testing

/// A record is never above itself in its hierarchy.
@Suite struct ParentCircleTests {
    private static func under(_ name: String, _ parent: String, _ type: String = "forceUpdate") -> JSONValue {
        TestCloud.operation(type, name, parent: parent)
    }

    @Test(arguments: [nil, "Zone"] as [String?])
    func `A record cannot be its own parent, as a new one or later`(_ zone: String?) async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            #expect(
                try await cloud.modify([Self.under("a", "a", "create")], zone: zone).codes == ["BAD_REQUEST"])
            #expect(try await cloud.record("a", zone: zone) == nil)
            try await cloud.save("a", ["n": ["value": 1]], zone: zone)
            let answer = try await cloud.modify([Self.under("a", "a")], zone: zone)
            #expect(answer.codes == ["BAD_REQUEST"])
            #expect(answer.json["records"][0]["reason"].string?.contains("circle") == true)
        }
    }

    @Test(arguments: [nil, "Zone"] as [String?], [2, 3, 7])
    func `A circle that a batch would make is refused, however the batch lists it`(
        _ zone: String?, _ count: Int
    )
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            var random = Seed.one.random
            for round in 0..<5 {
                let names = (0..<count).map { "r\(round)-\($0)" }
                let circle = names.indices.map { Self.under(names[$0], names[($0 + 1) % count], "create") }
                let answer = try await cloud.modify(circle.shuffled(using: &random), zone: zone)
                // All or nothing refuses all; by itself each is refused that closes the circle or counts on it.
                #expect(answer.codes.contains("BAD_REQUEST"))
                if zone != nil { #expect(answer.codes.allSatisfy { $0 != nil }) }
                for name in names {
                    // Whatever was taken can be deleted again.
                    #expect(
                        try await cloud.modify([TestCloud.operation("forceDelete", name)], zone: zone).codes
                            .count == 1)
                }
            }
        }
    }

    @Test func `A circle that is built up by several requests is refused at the last of them`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            let chain = [
                TestCloud.operation("create", "a"), Self.under("b", "a"), Self.under("c", "b"),
                Self.under("d", "c"),
            ]
            for operation in chain {
                #expect(try await cloud.modify([operation], zone: "Zone").codes == [nil])
            }
            for below in ["a", "b", "c", "d"] {
                #expect(
                    try await cloud.modify([Self.under("a", below)], zone: "Zone").codes == ["BAD_REQUEST"])
            }
            for type in ["update", "replace", "forceReplace"] {
                let tag = try await cloud.record("b", zone: "Zone")?["recordChangeTag"].string
                let answer = try await cloud.modify(
                    [TestCloud.operation(type, "b", tag: tag, parent: "d")], zone: "Zone")
                #expect(answer.codes == ["BAD_REQUEST"], "\(type)")
            }
            // Everything else is as it was, and a parent that stays is no question.
            #expect(
                try await cloud.modify([Self.under("d", "a"), Self.under("c", "b")], zone: "Zone").codes == [
                    nil, nil,
                ])
        }
    }

    @Test func `A hierarchy is turned around in one request, in any order`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.modify([TestCloud.operation("create", "a"), Self.under("b", "a")], zone: "Zone")
            var released = TestCloud.operation("forceUpdate", "b")
            released = released.with("record", released["record"].with("parent", nil))
            let turned = try await cloud.modify([Self.under("a", "b"), released], zone: "Zone")
            #expect(turned.codes == [nil, nil])
            #expect(try await cloud.record("a", zone: "Zone")?["parent"]["recordName"] == "b")
        }
    }

    @Test func `More records above others than one request follows are refused`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            let depth = Limits.parentsPerRequest + 1
            for start in stride(from: 0, to: depth, by: 200) {
                let part = (start..<min(start + 200, depth)).map { number in
                    TestCloud.operation("create", "r\(number)", parent: number == 0 ? nil : "r\(number - 1)")
                }
                #expect(try await cloud.modify(part, zone: "Zone").codes.allSatisfy { $0 == nil })
            }
            try await cloud.modify([TestCloud.operation("create", "x"), Self.under("y", "x")], zone: "Zone")
            let deep = try await cloud.modify([Self.under("x", "r\(depth - 1)")], zone: "Zone")
            #expect(deep.codes == ["QUOTA_EXCEEDED"])
            #expect(deep.records[0]["exceededLimit"] == "parentsPerRequest")
            #expect(try await cloud.modify([Self.under("x", "r\(depth - 2)")], zone: "Zone").codes == [nil])
        }
    }
}
