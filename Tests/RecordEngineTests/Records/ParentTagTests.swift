import RecordWire
import TestSupport
import Testing

/// Saving a child gives its parent a new change tag, as the original does.
@Suite struct ParentTagTests {
    private static func tag(_ cloud: TestCloud, _ name: String) async throws -> String? {
        try await cloud.record(name, zone: "Zone")?["recordChangeTag"].string
    }

    @Test func `The tag of the parent moves, and of nothing above it`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            let top = try await cloud.save(
                "top", ["n": ["value": 1], "recordChangeTag": ["value": "x"]], zone: "Zone")
            try await cloud.modify([TestCloud.operation("create", "middle", parent: "top")], zone: "Zone")
            let moved = try #require(try await Self.tag(cloud, "top"))
            #expect(moved != top)
            let before = try #require(try await cloud.record("top", zone: "Zone"))
            let feed = try await cloud.changes(zone: "Zone")
            let answer = try await cloud.modify(
                [
                    TestCloud.operation("create", "a", parent: "middle"),
                    TestCloud.operation("create", "b", parent: "middle"),
                ], zone: "Zone")
            #expect(answer.codes == [nil, nil])
            #expect(try await cloud.record("top", zone: "Zone") == before)
            // A parent with a stale tag is a conflict, as it is at the original.
            let stale = try await cloud.modify(
                [TestCloud.operation("update", "top", tag: top, fields: ["n": ["value": 2]])], zone: "Zone")
            #expect(stale.codes == ["CONFLICT"])
            let fresh = try await cloud.modify(
                [TestCloud.operation("update", "top", tag: moved, fields: ["n": ["value": 2]])], zone: "Zone")
            #expect(fresh.codes == [nil])
            #expect(fresh.records[0]["fields"]["recordChangeTag"]["value"] == "x")
            // Only the tag moved: who changed it last stays, and the feed tells it once.
            let middle = try await cloud.changes(zone: "Zone", since: feed.token).records
            #expect(middle.compactMap { $0["recordName"].string } == ["a", "b", "middle", "top"])
            #expect(
                middle[2]["recordChangeTag"].string != nil && middle[2]["modified"] == middle[2]["created"])
            // A change of the child that names the parent counts, one that does not leaves it alone, as a deletion does.
            let again = try await Self.tag(cloud, "middle")
            try await cloud.modify([TestCloud.operation("forceUpdate", "a", parent: "middle")], zone: "Zone")
            let last = try await Self.tag(cloud, "middle")
            #expect(last != again)
            try await cloud.save("a", ["n": ["value": 1]], zone: "Zone")
            #expect(try await Self.tag(cloud, "middle") == last)
            #expect(try await cloud.record("a", zone: "Zone")?["parent"]["recordName"] == "middle")
            try await cloud.modify([TestCloud.operation("forceDelete", "a")], zone: "Zone")
            #expect(try await Self.tag(cloud, "middle") == last)
        }
    }

    @Test func `A parent that is saved too keeps the tag that its answer tells`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            let both = [
                TestCloud.operation("create", "top"), TestCloud.operation("create", "child", parent: "top"),
            ]
            for operations in [both, both.reversed().map { $0 }] {
                let answer = try await cloud.modify(operations, zone: "Zone")
                #expect(answer.codes == [nil, nil], "\(answer.json.text)")
                let told = answer.records.first { $0["recordName"] == "top" }?["recordChangeTag"].string
                #expect(try await Self.tag(cloud, "top") == told)
                try await cloud.modify(
                    ["child", "top"].map { TestCloud.operation("forceDelete", $0) }, zone: "Zone")
            }
        }
    }
}
