import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// One request writes so much at most, whatever it refers to: its commit has to fit into the log.
@Suite struct WriteBudgetTests {
    /// Records of nearly a megabyte, each saved by itself.
    private static let size = 1_000_000
    private static let count = 30
    private static let names = (0..<count).map { "r\($0)" }

    private static func fill(_ cloud: TestCloud, zone: String? = nil, extra: JSONValue = [:]) async throws {
        let text = JSONValue.string(String(repeating: "a", count: size))
        for name in names {
            try await cloud.save(name, extra.with("t", ["value": text]), zone: zone)
        }
    }

    /// A small change to each record, whose answer has nothing of it.
    private static func change(
        _ names: [String], zone: String? = nil, atomic: Bool? = nil, type: String = "forceUpdate",
        parents: Bool = false, in cloud: TestCloud
    ) async throws -> TestCloud.Answer {
        let operations = names.map { name in
            parents
                ? TestCloud.operation(type, "child of \(name)", fields: [:], parent: name)
                : TestCloud.operation(type, name, fields: ["n": ["value": 1]])
        }
        var body: JSONValue = ["operations": .array(operations), "desiredKeys": []]
        if let zone { body = body.with("zoneID", ["zoneName": .string(zone)]) }
        if let atomic { body = body.with("atomic", .bool(atomic)) }
        return try await cloud.send(.recordsModify, body)
    }

    @Test(arguments: [false, true])
    func `What has no room is refused, and goes with the next request`(keepsVersions: Bool) async throws {
        try await TestCloud.run { cloud in
            try await Self.fill(cloud)
            if keepsVersions { try await VersionTests.keep(in: cloud) }
            // Its body, its column and its former state: so many fit, and one that crosses the limit.
            let most = Limits.requestWriteBytes / (Self.size * (keepsVersions ? 3 : 2)) + 1
            var left = Self.names
            while !left.isEmpty {
                let answer = try await Self.change(left, in: cloud)
                let expected = left.indices.map { $0 < most ? nil : "TRY_AGAIN_LATER" }
                try #require(answer.codes == expected)
                left.removeFirst(min(most, left.count))
            }
        }
    }

    @Test func `A batch that is all or nothing is refused as a whole`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Z")
            try await Self.fill(cloud, zone: "Z")
            let refused = try await Self.change(Self.names, zone: "Z", atomic: true, in: cloud)
            #expect(Set(refused.codes) == ["BAD_REQUEST", "ATOMIC_ERROR"])
            let half = try await Self.change(Array(Self.names.prefix(8)), zone: "Z", atomic: true, in: cloud)
            #expect(half.codes.allSatisfy { $0 == nil })
        }
    }

    @Test func `Children do not make a request write all their parents`() async throws {
        try await TestCloud.run { cloud in
            try await Self.fill(cloud)
            let refused = try await Self.change(Self.names, type: "create", parents: true, in: cloud)
            #expect(refused.json["serverErrorCode"] == "BAD_REQUEST")
            let half = try await Self.change(
                Array(Self.names.prefix(20)), type: "create", parents: true, in: cloud)
            #expect(half.codes.allSatisfy { $0 == nil })
        }
    }

    @Test func `A cascade keeps so many bytes of what went at most`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("root", [:])
            let root: JSONValue = ["value": ["recordName": "root", "action": "DELETE_SELF"]]
            try await Self.fill(cloud, extra: ["root": root])
            try await VersionTests.keep(in: cloud)
            let delete = TestCloud.operation("forceDelete", "root", type: nil)
            #expect(try await cloud.modify([delete]).codes == ["QUOTA_EXCEEDED"])
            let some = Self.names.prefix(20).map { TestCloud.operation("forceDelete", $0, type: nil) }
            #expect(try await cloud.modify(some).codes.allSatisfy { $0 == nil })
            #expect(try await cloud.modify([delete]).codes == [nil])
            // Nothing is kept, so that any number goes.
            let tenant = Tenant(container: cloud.container, environment: .development)
            try await VersionSettings.set(nil, ofTypeNamed: "Note", in: tenant, store: cloud.store)
            try await cloud.save("root", [:])
            try await Self.fill(cloud, extra: ["root": root])
            #expect(try await cloud.modify([delete]).codes == [nil])
        }
    }
}
