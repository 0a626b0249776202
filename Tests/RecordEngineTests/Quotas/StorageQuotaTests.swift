import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// How much users and containers may store (Documentation/Protocol.md, 'Storage quotas').
@Suite struct StorageQuotaTests {
    private static let quota: Int64 = 20_000

    private static func text(_ count: Int) -> JSONValue {
        ["t": ["value": .string(String(repeating: "x", count: count))]]
    }

    private func used(_ cloud: TestCloud, as sender: TestCloud.Sender = .alice) async throws -> Int {
        let answer = try await cloud.send(.storageUsage, [:], as: sender)
        #expect(answer.status == 200)
        return Int(answer.json["bytes"].int ?? -1)
    }

    @Test func `What has no room is refused by itself, exactly, and deleting makes room`() async throws {
        try await TestCloud.run(quotas: StorageQuotas(perUser: Self.quota)) { cloud in
            #expect(try await used(cloud) == 0)
            let operations = (0..<30).map { TestCloud.operation("create", "r\($0)", fields: Self.text(700)) }
            let answer = try await cloud.modify(operations)
            let failed = answer.codes.compactMap(\.self)
            #expect(!failed.isEmpty && failed.allSatisfy { $0 == "QUOTA_EXCEEDED" })
            #expect(answer.codes.prefix(15).allSatisfy { $0 == nil })
            let before = try await used(cloud)
            let size = before / (30 - failed.count)
            #expect(before <= Self.quota && before + size > Self.quota, "\(before) of \(Self.quota)")
            // Others have room of their own, and the public database belongs to nobody.
            #expect(
                try await cloud.modify([TestCloud.operation("create", "b", fields: Self.text(700))], as: .bob)
                    .codes == [nil])
            try await cloud.save("p", Self.text(9_000), in: .public)
            try await cloud.save("q", Self.text(12_000), in: .public)
            // What shrinks is let through, also at the edge; what grows is not.
            #expect(
                try await cloud.modify([TestCloud.operation("forceUpdate", "r0", fields: Self.text(690))])
                    .codes == [nil])
            #expect(
                try await cloud.modify([TestCloud.operation("forceUpdate", "r0", fields: Self.text(5_000))])
                    .codes
                    == ["QUOTA_EXCEEDED"])
            #expect(try await cloud.modify([TestCloud.operation("forceDelete", "r1")]).codes == [nil])
            #expect(
                try await cloud.modify([TestCloud.operation("create", "r99", fields: Self.text(700))]).codes
                    == [nil])
            let usage = try await cloud.send(.storageUsage, [:]).json
            #expect(usage["quotaBytes"].int == Self.quota && usage["records"].int == Int64(30 - failed.count))
        }
    }

    @Test func `An atomic batch without room changes nothing`() async throws {
        try await TestCloud.run(quotas: StorageQuotas(perUser: Self.quota)) { cloud in
            try await cloud.makeZones("Zone")
            let operations = (0..<30).map { TestCloud.operation("create", "r\($0)", fields: Self.text(700)) }
            let answer = try await cloud.modify(operations, zone: "Zone")
            #expect(answer.codes.contains("QUOTA_EXCEEDED"))
            #expect(try await used(cloud) == 0)
        }
    }

    @Test func `Writers at once never take the same room, and what is counted survives a restart`()
        async throws
    {
        try await TestCloud.run(quotas: StorageQuotas(perUser: Self.quota)) { cloud in
            await withTaskGroup { group in
                for writer in 0..<16 {
                    group.addTask {
                        for number in 0..<6 {
                            _ = try? await cloud.modify([
                                TestCloud.operation("create", "w\(writer)-\(number)", fields: Self.text(500))
                            ])
                        }
                    }
                }
            }
            let before = try await used(cloud)
            #expect(before <= Self.quota && before + 1_000 > Self.quota)
            guard StoreEngine.chosen != .memory else { return }
            try await cloud.reopen()
            #expect(try await used(cloud) == before)
        }
    }

    @Test func `Files count for each field that refers to them`() async throws {
        try await TestCloud.run(quotas: StorageQuotas(perUser: Self.quota)) { cloud in
            let file = try await cloud.upload([UInt8](repeating: 1, count: 8_000))
            let first: JSONValue = ["file": ["value": file]]
            #expect(
                try await cloud.modify([TestCloud.operation("create", "a", type: "Photo", fields: first)])
                    .codes == [nil])
            let usage = try await cloud.send(.storageUsage, [:]).json
            #expect(usage["assetBytes"].int == 8_000)
            let second = try await cloud.upload([UInt8](repeating: 2, count: 8_000))
            let third = try await cloud.upload([UInt8](repeating: 3, count: 8_000))
            let codes = try await cloud.modify([
                TestCloud.operation("create", "b", type: "Photo", fields: ["file": ["value": second]]),
                TestCloud.operation("create", "c", type: "Photo", fields: ["file": ["value": third]]),
            ]).codes
            #expect(codes == [nil, "QUOTA_EXCEEDED"])
            // In the place of another file there is room.
            #expect(
                try await cloud.modify([
                    TestCloud.operation("forceUpdate", "a", type: "Photo", fields: ["file": ["value": third]])
                ]).codes == [nil])
            try await cloud.modify([
                TestCloud.operation("forceDelete", "a"), TestCloud.operation("forceDelete", "b"),
            ])
            #expect(try await used(cloud) == 0)
        }
    }

    @Test func `A container has a quota over all its databases, from which operators are free`() async throws
    {
        try await TestCloud.run(quotas: StorageQuotas(perContainer: Self.quota)) { cloud in
            #expect(
                try await cloud.modify([TestCloud.operation("create", "a", fields: Self.text(9_000))]).codes
                    == [nil])
            #expect(
                try await cloud.modify(
                    [TestCloud.operation("create", "b", fields: Self.text(9_000))], as: .bob
                ).codes == [nil])
            #expect(
                try await cloud.modify(
                    [TestCloud.operation("create", "c", fields: Self.text(9_000))], in: .public
                ).codes
                    == ["QUOTA_EXCEEDED"])
            let answer = try await cloud.administer(
                .recordsModify, ["operations": [TestCloud.operation("create", "d", fields: Self.text(9_000))]]
            )
            #expect(answer.codes == [nil])
            #expect(try await cloud.send(.storageUsage, [:], in: .public).code == "ACCESS_DENIED")
            let usage = try await cloud.administer(.storageUsage, [:])
            #expect(usage.json["records"].int == 1)
        }
    }
}
