import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// What the audit log says of writes that somebody has no right to.
@Suite struct RefusedWriteTests {
    private static let bob = TestCloud.Sender.bob.userName

    private static func refused(_ cloud: TestCloud) async throws -> [AuditRow] {
        try await cloud.store.read(.short) { try $0.audit(before: nil, limit: 99) }
            .filter { $0.action == "record.refused" }
    }

    private static func change(_ name: String, _ cloud: TestCloud) async throws -> TestCloud.Answer {
        try await cloud.modify(
            [TestCloud.operation("forceUpdate", name, type: "Note", fields: ["n": ["value": 2]])], as: .bob,
            in: .public)
    }

    @Test func `A refused change is in the audit log with user, type and record`() async throws {
        try await TestCloud.run { cloud in
            let ground = try await RightsGround(cloud)
            try await ground.set([
                SecurityGrant([.create, .write], to: "_creator"), SecurityGrant(.create, to: "_icloud"),
            ])
            try await cloud.save("hers", ["n": ["value": 1]], as: .alice, in: .public)
            #expect(try await Self.change("hers", cloud).codes == ["ACCESS_DENIED"])
            let isThere = try await eventually { try await !Self.refused(cloud).isEmpty }
            #expect(isThere)
            let rows = try await Self.refused(cloud)
            #expect(rows.map(\.subject) == ["\(Self.bob): Note hers"])
            #expect(rows.first?.tenant == ground.tenant)
            // What operators are refused is in the log as their deed or not at all.
            _ = try await cloud.administer(
                .recordsModify,
                [
                    "operations": [
                        TestCloud.operation("forceDelete", TestCloud.Sender.alice.userName, type: "Users")
                    ]
                ])
            #expect(try await Self.refused(cloud).count == 1)
        }
    }

    @Test func `Of many in an hour the first, second, fourth and so on are told, for each type and user`()
        throws
    {
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .development)
        let log = RefusedWrites()
        func note(_ user: String, _ type: String, _ count: Int = 1, at now: Int64 = 0) -> [String] {
            let context = CallContext(
                tenant: tenant, database: DatabaseID(tenant: tenant, owner: nil), caller: .user(user),
                now: now,
                requestID: "r", baseURL: "")
            return log.note([type: RefusedWrite(name: "a", count: count)], context).map(\.subject)
        }
        let told = (1...9).flatMap { _ in note("_bob", "Note") }
        let often = [2, 4, 8].map { "_bob: Note a, \($0) times in this hour" }
        #expect(told == ["_bob: Note a"] + often)
        #expect(note("_bob", "Post") == ["_bob: Post a"])
        #expect(note("_eve", "Note", 200) == ["_eve: Note a, 200 times in this hour"])
        #expect(note("_bob", "Note", at: 3_600_000) == ["_bob: Note a"], "an hour later")
    }

    @Test func `Very many users take no more than so many entries`() throws {
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .development)
        let log = RefusedWrites()
        let rows = (0..<3_000).flatMap { number in
            log.note(
                ["Note": RefusedWrite(name: nil, count: 1)],
                CallContext(
                    tenant: tenant, database: DatabaseID(tenant: tenant, owner: nil),
                    caller: .user("_\(number)"), now: 0, requestID: "r", baseURL: ""))
        }
        #expect(rows.count < 1_020)
        #expect(rows.last?.subject.hasPrefix("somebody: a record, ") == true)
    }
}
