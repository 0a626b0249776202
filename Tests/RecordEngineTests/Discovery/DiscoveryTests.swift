import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// Finding people: who may ask, who is found, and that everybody else is as if they were not there.
@Suite struct DiscoveryTests {
    private static let named = UserDiscovery(isAllowed: true, givenName: "Ada", familyName: "Ä. Lovelace")

    /// Alice asks; Bob allows it, Carol has not answered, Dan said no, Eve's account is shut.
    private static func ground(_ cloud: TestCloud) async throws -> Tenant {
        let tenant = Tenant(container: cloud.container, environment: .development)
        let other = Tenant(container: try ContainerID("iCloud.other"), environment: .development)
        let people: [(String, Tenant, UserDiscovery)] = [
            ("alice", tenant, UserDiscovery()), ("bob", tenant, named), ("carol", tenant, UserDiscovery()),
            ("dan", tenant, UserDiscovery(isAllowed: false, givenName: "Dan")), ("eve", tenant, named),
            ("zoe", other, named),
        ]
        try await cloud.store.write { store in
            for (name, place, discovery) in people {
                try store.store(
                    AccountRow(
                        id: name, address: "\(name)@example.org", createdAt: 0, isDisabled: name == "eve"))
                try store.insert(
                    UserRow(
                        tenant: place, recordName: user(name), label: name, createdAt: 0, account: name,
                        discovery: discovery))
            }
            let row = TokenRow(
                kind: .api, tenant: tenant, user: nil, label: "", createdAt: 0, expiresAt: nil,
                asksForPeople: true)
            try store.insert(row, digest: AccessToken.digest("people"))
        }
        return tenant
    }

    private static func user(_ name: String) -> String {
        "_" + String(repeating: name.first.map(String.init) ?? "", count: 32)
    }

    private static func ask(
        _ cloud: TestCloud, _ endpoint: Endpoint, _ body: JSONValue, as name: String? = "alice",
        app: String? = "people"
    ) async throws -> TestCloud.Answer {
        let tenant = Tenant(container: cloud.container, environment: .development)
        return try await cloud.send(
            endpoint, bytes: body.bytes,
            credentials: Credentials(
                apiToken: app ?? "\(tenant)-api", webAuthToken: name.map { "\(tenant)-\($0)" }),
            tenant: tenant, in: .public)
    }

    private static func lookups(_ names: [String]) -> JSONValue {
        ["lookupInfos": .array(names.map { ["emailAddress": .string("\($0)@example.org")] })]
    }

    @Test func `Only who agreed here is found; all others are answered as an unknown address is`()
        async throws
    {
        try await TestCloud.run { cloud in
            _ = try await Self.ground(cloud)
            let bob = try await Self.ask(cloud, .usersDiscover, Self.lookups(["bob"]))
            #expect(
                bob.json == [
                    "users": [
                        [
                            "userRecordName": .string(Self.user("bob")),
                            "nameComponents": ["givenName": "Ada", "familyName": "Ä. Lovelace"],
                            "lookupInfo": ["emailAddress": "bob@example.org"],
                        ]
                    ]
                ])
            let unknown = try await Self.ask(cloud, .usersDiscover, Self.lookups(["nobody"]))
            for name in ["carol", "dan", "eve", "zoe", "ALICE"] {
                let answer = try await Self.ask(cloud, .usersDiscover, Self.lookups([name]))
                #expect(answer.status == 200 && answer.json == unknown.json, "\(name)")
                let record = try await Self.ask(
                    cloud, .usersDiscover,
                    ["lookupInfos": [["userRecordName": .string(Self.user(name.lowercased()))]]])
                #expect(record.json == unknown.json, "\(name)")
            }
            #expect(unknown.json == ["users": []])
            let phone = try await Self.ask(
                cloud, .usersDiscover, ["lookupInfos": [["phoneNumber": "+43 1 234"]]])
            #expect(phone.json == unknown.json)
            // In the order of the lookups, and spelled as they were.
            let mixed = try await Self.ask(
                cloud, .usersDiscover,
                [
                    "users": [
                        ["emailAddress": "carol@example.org"],
                        ["userRecordName": .string(Self.user("bob"))], ["emailAddress": " Bob@Example.org"],
                    ]
                ])
            #expect(
                mixed.json["users"].elements.map { $0["lookupInfo"] } == [
                    ["userRecordName": .string(Self.user("bob"))], ["emailAddress": " Bob@Example.org"],
                ])
        }
    }

    @Test func `Older addresses have older dictionaries, and take their own kind of lookup`() async throws {
        try await TestCloud.run { cloud in
            _ = try await Self.ground(cloud)
            let byAddress: JSONValue = [
                "users": [["emailAddress": "bob@example.org"], ["emailAddress": "dan@example.org"]]
            ]
            let byName: JSONValue = ["users": [["userRecordName": .string(Self.user("bob"))]]]
            #expect(
                try await Self.ask(cloud, .usersLookupEmail, byAddress).json["users"].elements == [
                    [
                        "userRecordName": .string(Self.user("bob")), "firstName": "Ada",
                        "lastName": "Ä. Lovelace", "emailAddress": "bob@example.org",
                    ]
                ])
            #expect(
                try await Self.ask(cloud, .usersLookupID, byName).json["users"].elements == [
                    [
                        "userRecordName": .string(Self.user("bob")), "firstName": "Ada",
                        "lastName": "Ä. Lovelace",
                    ]
                ])
            #expect(try await Self.ask(cloud, .usersLookupID, byAddress).code == "BAD_REQUEST")
            #expect(try await Self.ask(cloud, .usersLookupEmail, byName).code == "BAD_REQUEST")
            #expect(try await Self.ask(cloud, .usersLookupEmail, [:]).code == "BAD_REQUEST")
        }
    }

    @Test(arguments: [Endpoint.usersDiscover, .usersLookupEmail, .usersLookupID])
    func `An app without the right, and an app without a user, may not ask`(_ endpoint: Endpoint) async throws
    {
        try await TestCloud.run { cloud in
            _ = try await Self.ground(cloud)
            for name in ["bob", "nobody"] {
                let body = Self.lookups([name])
                #expect(try await Self.ask(cloud, endpoint, body, app: nil).code == "ACCESS_DENIED")
                #expect(try await Self.ask(cloud, endpoint, body, as: nil).code == "AUTHENTICATION_REQUIRED")
                #expect(try await cloud.administer(endpoint, body).code == "AUTHENTICATION_REQUIRED")
            }
        }
    }

    @Test func `All who agreed come in pages, each once`() async throws {
        try await TestCloud.run { cloud in
            let tenant = try await Self.ground(cloud)
            let names = (0..<7).map { "_\($0)" + String(repeating: "0", count: 31) }
            try await cloud.store.write { store in
                for name in names {
                    try store.insert(
                        UserRow(
                            tenant: tenant, recordName: name, label: name, createdAt: 0,
                            discovery: UserDiscovery(isAllowed: true)))
                }
            }
            var found: [String] = []
            var marker: String?
            var pages = 0
            repeat {
                let body: JSONValue =
                    marker.map { ["resultsLimit": 3, "continuationMarker": .string($0)] }
                    ?? ["resultsLimit": 3]
                let answer = try await Self.ask(cloud, .usersDiscover, body)
                found += answer.json["users"].elements.compactMap { $0["userRecordName"].string }
                marker = answer.json["continuationMarker"].string
                pages += 1
            } while marker != nil && pages < 20
            // Eve's account is shut, and Zoe is another container's.
            #expect(found == names + [Self.user("bob")])
            #expect(pages == 3)
            let whole = try await Self.ask(cloud, .usersDiscover, [:])
            #expect(whole.json["users"].elements.count == 8 && whole.json["continuationMarker"] == .null)
            for limit in [0, Limits.usersPerAnswer + 1] {
                let answer = try await Self.ask(
                    cloud, .usersDiscover, ["resultsLimit": .int(Int64(limit))])
                #expect(answer.code == "BAD_REQUEST", "\(limit)")
            }
        }
    }

    @Test func `Nobody tries many addresses: so many in a request, so many an hour`() async throws {
        try await TestCloud.run { cloud in
            _ = try await Self.ground(cloud)
            let most = Limits.userLookupsPerRequest
            let names = (0...most).map { "p\($0)" }
            #expect(try await Self.ask(cloud, .usersDiscover, Self.lookups(names)).code == "BAD_REQUEST")
            for _ in 0..<Limits.userLookupsPerHour / most {
                let answer = try await Self.ask(
                    cloud, .usersDiscover, Self.lookups(Array(names.prefix(most))))
                #expect(answer.status == 200)
            }
            for (endpoint, body) in [
                (Endpoint.usersDiscover, Self.lookups(["bob"])), (.usersLookupEmail, Self.lookups(["bob"])),
                (.usersDiscover, [:]),
            ] {
                let refused = try await Self.ask(cloud, endpoint, body)
                #expect(refused.code == "THROTTLED")
                #expect((refused.json["retryAfter"].int ?? 0) > 3_500)
            }
            #expect(try await Self.ask(cloud, .usersDiscover, Self.lookups(["bob"]), as: "bob").code == nil)
            cloud.wait(milliseconds: 3_600_000)
            #expect(try await Self.ask(cloud, .usersDiscover, Self.lookups(["bob"])).code == nil)
        }
    }

    @Test func `Callers see their own answer; name and address only in an app that may ask`() async throws {
        try await TestCloud.run { cloud in
            _ = try await Self.ground(cloud)
            let name = JSONValue.string(Self.user("bob"))
            #expect(
                try await Self.ask(cloud, .usersCaller, [:], as: "bob").json == [
                    "userRecordName": name,
                    "nameComponents": ["givenName": "Ada", "familyName": "Ä. Lovelace"],
                    "lookupInfo": ["emailAddress": "bob@example.org"], "isDiscoverable": true,
                ])
            #expect(
                try await Self.ask(cloud, .usersCaller, [:], as: "bob", app: nil).json == [
                    "userRecordName": name, "isDiscoverable": true,
                ])
            #expect(
                try await Self.ask(cloud, .usersCurrent, [:], as: "bob").json == [
                    "userRecordName": name, "firstName": "Ada", "lastName": "Ä. Lovelace",
                    "emailAddress": "bob@example.org",
                ])
            for endpoint in [Endpoint.usersCaller, .usersCurrent] {
                #expect(
                    try await Self.ask(cloud, endpoint, [:], as: "carol").json == [
                        "userRecordName": .string(Self.user("carol"))
                    ])
            }
        }
    }

    @Test func `A name is kept without spaces around it, within its length`() async throws {
        try await TestCloud.run { cloud in
            let ground = AccountGround(cloud)
            try await ground.open()
            let made = try #require(try await ground.signUp("ada@example.org"))
            let token = try await ground.accounts.sessions.begin(
                .page, for: made.account, as: made.user, lasting: .short, label: "Browser")
            let session = try #require(try await ground.accounts.pageSession(token, in: ground.tenant))
            let longest = String(repeating: "a", count: Limits.personNameBytes)
            let kept = try await ground.accounts.setDiscovery(
                UserDiscovery(isAllowed: true, givenName: "  Ada  B ", familyName: longest), of: session,
                in: ground.tenant)
            #expect(kept == UserDiscovery(isAllowed: true, givenName: "Ada B", familyName: longest))
            let row = try await cloud.store.read(.short) {
                try $0.user(named: made.user.recordName, of: ground.tenant)
            }
            #expect(row?.discovery == kept)
            for name in [longest + "a", "a\u{7}b"] {
                await #expect(throws: ServiceError.self) {
                    try await ground.accounts.setDiscovery(
                        UserDiscovery(isAllowed: true, givenName: name), of: session, in: ground.tenant)
                }
            }
        }
    }
}
