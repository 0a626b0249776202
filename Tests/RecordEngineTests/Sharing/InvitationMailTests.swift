import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// Mails to people who are invited to a share.
@Suite struct InvitationMailTests {
    private static func participant(_ address: String) -> JSONValue {
        ["userIdentity": ["lookupInfo": ["emailAddress": .string(address)]], "permission": "READ_ONLY"]
    }

    /// A request that makes or changes a share.
    private static func save(
        _ operation: String, _ addresses: [String]?, root: String = "root", in cloud: TestCloud
    ) async throws -> TestCloud.Answer {
        var share: JSONValue = [
            "recordType": "cloudkit.share", "recordName": .string("share-\(root)"),
            "fields": ["cloudkit.title": ["value": "Weekend\n\u{202E}list"]],
        ]
        if operation == "create" { share = share.with("forRecord", ["recordName": .string(root)]) }
        if let addresses { share = share.with("participants", .array(addresses.map(participant))) }
        var operations: [JSONValue] = [["operationType": .string(operation), "record": share]]
        if operation == "create" {
            operations.append(TestCloud.operation("create", root, fields: ["n": ["value": 1]]))
        }
        return try await cloud.modify(operations, zone: "Z")
    }

    private static func with(
        _ body: (AccountGround) async throws -> Void
    ) async throws {
        try await TestCloud.run { cloud in
            let ground = AccountGround(cloud)
            ground.accounts.mailInvitations(of: cloud.service, baseURL: "https://share.example")
            try await cloud.makeZones("Z")
            try await body(ground)
        }
    }

    /// The addresses to which mails went, once as many have gone as there are to be.
    private static func told(_ ground: AccountGround, count: Int) async throws -> [String] {
        #expect(try await eventually { ground.post.mails.count >= count && ground.accounts.pending.isIdle })
        return ground.post.mails.map(\.address.text).sorted()
    }

    @Test func `Each invited person gets one mail, and another one when invited again`() async throws {
        try await Self.with { ground in
            let cloud = ground.cloud
            #expect(
                try await Self.save("create", ["Bob@example.org", "cleo@example.org"], in: cloud).codes == [
                    nil, nil,
                ])
            #expect(try await Self.told(ground, count: 2) == ["bob@example.org", "cleo@example.org"])
            let mail = try #require(ground.post.mails.first)
            #expect(mail.kind == .invitation && mail.share == "Weekend list")
            #expect(mail.link?.hasPrefix("https://share.example/share/0sT") == true)
            // Saved again, with and without the list: nobody is told twice.
            _ = try await Self.save("forceUpdate", ["bob@example.org", "cleo@example.org"], in: cloud)
            _ = try await Self.save("forceUpdate", nil, in: cloud)
            _ = try await Self.save("forceUpdate", ["bob@example.org"], in: cloud)
            #expect(try await Self.told(ground, count: 2).count == 2)
            _ = try await Self.save("forceUpdate", ["bob@example.org", "cleo@example.org"], in: cloud)
            #expect(
                try await Self.told(ground, count: 3)
                    == ["bob@example.org", "cleo@example.org", "cleo@example.org"])
        }
    }

    @Test func `Nothing is mailed for a refused share, to telephones and where the operator says so`()
        async throws
    {
        try await Self.with { ground in
            let cloud = ground.cloud
            #expect(try await Self.save("create", ["b@example.org", "b@"], in: cloud).codes == [nil, nil])
            #expect(try await Self.told(ground, count: 1) == ["b@example.org"])
            let refused = try await cloud.modify(
                [
                    [
                        "operationType": "create",
                        "record": [
                            "recordType": "cloudkit.share", "forRecord": ["recordName": "missing"],
                            "participants": [Self.participant("c@example.org")], "fields": [:],
                        ],
                    ]
                ], zone: "Z")
            #expect(refused.codes != [nil])
            _ = try await SignInPolicies.set(
                links: ShareLinkSettings(mailsInvitations: false), of: ground.tenant, store: cloud.store)
            #expect(
                try await Self.save("create", ["d@example.org"], root: "other", in: cloud).codes == [
                    nil, nil,
                ])
            #expect(try await Self.told(ground, count: 1) == ["b@example.org"])
        }
    }

    @Test func `A user has so many invitations mailed within an hour, and the operator learns of the rest`()
        async throws
    {
        try await Self.with { ground in
            let cloud = ground.cloud
            let most = Limits.invitationMailsPerHour
            let perShare = Limits.participantsPerShare
            let shares = most / perShare + 1
            for number in 0..<shares {
                let addresses = (0..<perShare).map { "p\(number)-\($0)@example.org" }
                let answer = try await Self.save("create", addresses, root: "r\(number)", in: cloud)
                #expect(answer.codes == [nil, nil])
            }
            #expect(try await Self.told(ground, count: most).count == most)
            #expect(ground.post.failures.count == 1)
            _ = cloud.wait(milliseconds: 3_600_000)
            _ = try await Self.save("create", ["later@example.org"], root: "later", in: cloud)
            #expect(try await Self.told(ground, count: most + 1).count == most + 1)
        }
    }

    @Test func `Links are opened so often from one address within an hour`() async throws {
        try await TestCloud.run { cloud in
            let tenant = Tenant(container: cloud.container, environment: .development)
            let link = "0sT" + String(repeating: "B", count: 22)
            @Sendable func open(_ address: String) async -> Bool {
                do {
                    _ = try await cloud.service.sharePage(
                        link, for: ShareVisitor(tenant: tenant, user: nil, address: address))
                    return true
                } catch { return false }
            }
            let service = cloud.service
            // A link that leads nowhere is opened somewhere, and always there.
            let place = try await service.tenant(ofLink: link, openedAt: "192.0.2.1")
            let again = try await service.tenant(ofLink: link, openedAt: "192.0.2.1")
            #expect(place != nil && place == again)
            let opened = await withTaskGroup { group in
                for _ in 0..<(Limits.linkLookupsPerHour + 10) { group.addTask { await open("192.0.2.1") } }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(opened == Limits.linkLookupsPerHour - 2)
            #expect(await open("192.0.2.2"))
            await #expect(throws: ServiceError.self) {
                try await service.tenant(ofLink: link, openedAt: "192.0.2.1")
            }
        }
    }
}
