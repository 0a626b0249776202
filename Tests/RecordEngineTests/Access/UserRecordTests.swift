import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import RecordWire
import TestSupport
import Testing

/// Each user has a record of type Users, and nobody makes another.
@Suite struct UserRecordTests {
    private static let alice = TestCloud.Sender.alice.userName
    private static let bob = TestCloud.Sender.bob.userName

    @Test(arguments: [DatabaseScope.public, .private])
    func `A signed-in user's record is there, and keeps what the user saves`(_ scope: DatabaseScope)
        async throws
    {
        try await TestCloud.run { cloud in
            let first = try #require(try await cloud.record(Self.alice, in: scope))
            #expect(first["recordType"] == "Users" && first["fields"] == [:] && first["deleted"] == false)
            #expect(first["created"]["userRecordName"] == .string(Self.alice))
            let tag = first["recordChangeTag"].string
            for type in ["create", "update"] {
                let stale = try await cloud.modify(
                    [TestCloud.operation(type, Self.alice, type: "Users", tag: type == "update" ? "x" : nil)],
                    in: scope)
                #expect(stale.codes == ["CONFLICT"], "\(stale.json.text)")
                #expect(stale.records[0]["serverRecord"]["recordName"] == .string(Self.alice))
            }
            let saved = try await cloud.modify(
                [
                    TestCloud.operation(
                        "update", Self.alice, type: nil, tag: tag, fields: ["nick": ["value": "al"]])
                ],
                in: scope)
            #expect(saved.codes == [nil], "\(saved.json.text)")
            #expect(saved.records[0]["created"] == first["created"])
            let now = try #require(try await cloud.record(Self.alice, in: scope))
            #expect(now == saved.records[0] && now["recordType"] == "Users")
            #expect(now["fields"]["nick"]["value"] == "al" && now["recordChangeTag"].string != tag)
            try await cloud.save(Self.alice, ["nick": ["value": "ali"]], type: "Users", in: scope)
            for type in ["forceDelete", "delete"] {
                let answer = try await cloud.modify(
                    [TestCloud.operation(type, Self.alice, tag: now["recordChangeTag"].string)], in: scope)
                #expect(answer.codes == ["ACCESS_DENIED"])
            }
        }
    }

    @Test func `Nobody makes a Users record of another name, or in another zone`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            for scope in [DatabaseScope.public, .private] {
                for name in ["somebody", Self.bob, "_ffffffffffffffffffffffffffffffff"] {
                    for type in ["create", "forceUpdate", "forceReplace"] {
                        let answer = try await cloud.modify(
                            [TestCloud.operation(type, name, type: "Users")], in: scope)
                        #expect(answer.codes == ["BAD_REQUEST"], "\(name): \(answer.json.text)")
                    }
                }
                let nameless = try await cloud.modify(
                    [TestCloud.operation("create", nil, type: "Users")], in: scope)
                #expect(nameless.codes == ["BAD_REQUEST"])
                let note = try await cloud.modify([TestCloud.operation("forceUpdate", Self.alice)], in: scope)
                #expect(note.codes == ["BAD_REQUEST"])
            }
            let zone = try await cloud.modify(
                [TestCloud.operation("create", Self.alice, type: "Users")], zone: "Zone")
            #expect(zone.codes == ["BAD_REQUEST"])
            #expect(try await cloud.record(Self.alice, zone: "Zone") == nil)
            #expect(try await cloud.record(Self.bob) == nil)
        }
    }

    @Test func `Users of the tenant are seen in the public database, and changed by themselves only`()
        async throws
    {
        try await TestCloud.run { cloud in
            let tenant = Tenant(container: cloud.container, environment: .development)
            let user = UserRow(tenant: tenant, recordName: Self.bob, label: "bob", createdAt: 77)
            try await cloud.store.write { try $0.insert(user) }
            let seen = try #require(try await cloud.record(Self.bob, in: .public))
            #expect(seen["created"] == seen["modified"] && seen["created"]["timestamp"] == 77)
            let answer = try await cloud.modify(
                [TestCloud.operation("forceUpdate", Self.bob, type: "Users")], in: .public)
            #expect(answer.codes == ["ACCESS_DENIED"])
            #expect(try await cloud.record("_nobody", in: .public) == nil)
        }
    }

    @Test func `Users are fetched by name, not by query`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save(Self.alice, ["nick": ["value": "al"]], type: "Users", in: .public)
            let answer = try await cloud.query(["recordType": "Users"], in: .public)
            #expect(answer.code == "BAD_REQUEST" && answer.json["reason"] == "Can't query system types")
        }
    }
}
