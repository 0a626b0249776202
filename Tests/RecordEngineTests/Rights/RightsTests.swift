import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// What rights mean where several things meet.
@Suite struct RightsTests {
    @Test func `A role counts within seconds, until it is taken or not declared any more`() async throws {
        try await TestCloud.run { cloud in
            let ground = try await RightsGround(cloud)
            try await ground.set([SecurityGrant([.read, .create], to: "Editor")])
            let query: JSONValue = ["query": ["recordType": "Note"]]
            #expect(try await ground.send(.recordsQuery, query, as: .carol).code == nil)
            let caller = try await ground.send(.usersCaller, [:], as: .carol)
            #expect(caller.json["roles"] == ["Editor"])
            #expect(try await ground.send(.usersCaller, [:], as: .bob).json["roles"] == .null)
            try await SecurityRoles.take("Editor", from: "carol", in: ground.tenant, store: cloud.store)
            cloud.wait(milliseconds: 6_000)
            #expect(try await ground.send(.recordsQuery, query, as: .carol).code == "ACCESS_DENIED")
            try await SecurityRoles.give("Editor", to: "carol", in: ground.tenant, store: cloud.store)
            cloud.wait(milliseconds: 6_000)
            #expect(try await ground.send(.recordsQuery, query, as: .carol).code == nil)
            let tenant = ground.tenant
            try await cloud.store.write { try $0.setRoles(["Other"], tenant: tenant) }
            cloud.wait(milliseconds: 6_000)
            #expect(try await ground.send(.recordsQuery, query, as: .carol).code == "ACCESS_DENIED")
        }
    }

    @Test func `Only roles that a schema declares are given`() async throws {
        try await TestCloud.run { cloud in
            let ground = try await RightsGround(cloud)
            for (role, user, code) in [
                ("Nope", "carol", "NOT_FOUND"), ("_icloud", "carol", "BAD_REQUEST"),
                ("Editor", "ghost", "NOT_FOUND"),
            ] {
                let error = await #expect(throws: ServiceError.self) {
                    try await SecurityRoles.give(role, to: user, in: ground.tenant, store: cloud.store)
                }
                #expect(error?.code.description == code && error?.remedy != nil)
            }
            let user = try await SecurityRoles.give(
                "Editor", to: "carol", in: ground.tenant, store: cloud.store)
            #expect(user.roles == ["Editor"])
            try await SecurityRoles.take("Editor", from: "carol", in: ground.tenant, store: cloud.store)
            await #expect(throws: ServiceError.self) {
                try await SecurityRoles.take("Editor", from: "carol", in: ground.tenant, store: cloud.store)
            }
        }
    }

    /// A user's record is the user's to change, and what it says of roles gives none.
    @Test func `Nobody gives themselves a role`() async throws {
        try await TestCloud.run { cloud in
            let ground = try await RightsGround(cloud)
            try await ground.set([SecurityGrant(.read, to: "Editor")])
            let bob = TestCloud.Sender.bob.userName
            let answer = try await cloud.modify(
                [
                    TestCloud.operation(
                        "forceUpdate", bob, type: "Users",
                        fields: ["roles": ["value": ["Editor"], "type": "STRING_LIST"]])
                ], as: .bob, in: .public)
            #expect(answer.codes == [nil])
            cloud.wait(milliseconds: 6_000)
            let query = try await cloud.query(["recordType": "Note"], as: .bob, in: .public)
            #expect(query.code == "ACCESS_DENIED")
        }
    }

    @Test func `Pages of one's own records are full, and their markers good`() async throws {
        try await TestCloud.run { cloud in
            let ground = try await RightsGround(cloud)
            for index in 0..<30 {
                try await cloud.save(
                    "r\(index)", ["n": ["value": .int(Int64(index))]], as: index % 3 == 0 ? .alice : .bob,
                    in: .public)
            }
            try await ground.set([SecurityGrant(.read, to: "_creator")])
            for sort: JSONValue in [[], [["fieldName": "n", "ascending": false]]] {
                var names: [String] = []
                var sizes: [Int] = []
                var marker: String?
                repeat {
                    let page = try await cloud.query(
                        ["recordType": "Note", "sortBy": sort], limit: 3, marker: marker, in: .public)
                    names += page.names
                    sizes.append(page.names.count)
                    marker = page.json["continuationMarker"].string
                } while marker != nil
                #expect(sizes == [3, 3, 3, 1])
                #expect(Set(names) == Set((0..<30).filter { $0 % 3 == 0 }.map { "r\($0)" }))
            }
        }
    }

    @Test func `References neither find nor hold what cannot be read`() async throws {
        try await TestCloud.run { cloud in
            let ground = try await RightsGround(cloud)
            func link(_ target: String, _ action: String) -> JSONValue {
                [
                    "ref": [
                        "value": ["recordName": .string(target), "action": .string(action)],
                        "type": "REFERENCE",
                    ]
                ]
            }
            try await cloud.save("secret", ["n": ["value": 1]], type: "Secret", in: .public)
            try await cloud.save("note", ["n": ["value": 1]], in: .public)
            try await cloud.save("hidden", link("note", "VALIDATE"), type: "Secret", as: .bob, in: .public)
            try await ground.set([SecurityGrant(.read, to: "_creator")], type: "Secret")
            for (target, code) in [
                ("secret", "VALIDATING_REFERENCE_ERROR"), ("missing", "VALIDATING_REFERENCE_ERROR"),
                ("note", nil),
            ] as [(String, String?)] {
                let answer = try await cloud.modify(
                    [TestCloud.operation("create", "to-\(target)", fields: link(target, "VALIDATE"))],
                    as: .bob, in: .public)
                #expect(answer.codes == [code], "\(target)")
            }
            _ = try await cloud.modify(
                [TestCloud.operation("forceDelete", "to-note", type: nil)], as: .bob, in: .public)
            // Bob's reference, which Alice can neither see nor change, holds nothing of hers.
            let deletion = try await cloud.modify(
                [TestCloud.operation("forceDelete", "note", type: nil)], in: .public)
            #expect(deletion.codes == [nil])
        }
    }

    @Test func `A repeated request shows what its caller may read now`() async throws {
        try await TestCloud.run { cloud in
            let ground = try await RightsGround(cloud)
            let body: JSONValue = [
                "operations": [TestCloud.operation("create", "r", fields: ["n": ["value": 1]])],
                "idempotencyKey": "key",
            ]
            let first = try await cloud.send(.recordsModify, body, in: .public)
            #expect(first.records[0]["fields"]["n"]["value"] == 1)
            try await ground.set([SecurityGrant(.create, to: "_icloud")])
            let second = try await cloud.send(.recordsModify, body, in: .public)
            #expect(second.codes == [nil] && second.records[0]["fields"]["n"] == .null)
            #expect(second.records[0]["recordName"] == "r")
        }
    }

    @Test func `A type without grants has the defaults, also where a text gave it none`() async throws {
        try await TestCloud.run { cloud in
            let ground = try await RightsGround(cloud)
            try await ground.set([])
            try await cloud.save("r", ["n": ["value": 1]], in: .public)
            #expect(try await cloud.record("r", as: .nobody, in: .public) != nil)
            let bob = try await cloud.modify(
                [TestCloud.operation("forceUpdate", "r")], as: .bob, in: .public)
            #expect(bob.codes == ["ACCESS_DENIED"])
        }
    }
}
