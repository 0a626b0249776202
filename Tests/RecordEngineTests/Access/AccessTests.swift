import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import RecordWire
import TestSupport
import Testing

@Suite struct AccessTests {
    @Test(arguments: Endpoint.allCases)
    func `No endpoint shows or changes what another user has`(_ endpoint: Endpoint) async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.save("secret", ["t": ["value": "hidden"]], zone: "Zone")
            try await cloud.save("secret", ["t": ["value": "hidden"]])
            let alice: JSONValue = .string(TestCloud.Sender.alice.userName)
            let feed = try await cloud.changes(zone: "Zone")
            for owner in [nil, alice] as [JSONValue?] {
                var zone: JSONValue = ["zoneName": "Zone"]
                if let owner { zone = zone.with("ownerRecordName", owner) }
                for zone in [zone, zone.with("zoneName", "_defaultZone")] {
                    let query: JSONValue = ["recordType": "Note"]
                    let bodies: [Endpoint: JSONValue] = [
                        .recordsQuery: ["query": query, "zoneID": zone],
                        .recordsCount: ["query": query, "zoneWide": true],
                        .recordsModify: [
                            "operations": [TestCloud.operation("forceDelete", "secret")], "zoneID": zone,
                        ],
                        .recordsLookup: ["records": [["recordName": "secret"]], "zoneID": zone],
                        .recordsVersions: ["recordName": "secret", "zoneID": zone],
                        .recordsChanges: ["zoneID": zone, "syncToken": .string(feed.token)],
                        .zonesLookup: ["zones": [zone]],
                        .zonesModify: [
                            "operations": [["operationType": "delete", "zone": ["zoneID": zone]]]
                        ],
                        .changesZone: ["zones": [["zoneID": zone]]],
                    ]
                    let answer = try await cloud.send(endpoint, bodies[endpoint] ?? [:], as: .bob)
                    #expect(!answer.json.text.contains("hidden"))
                    #expect(answer.status < 500)
                    if endpoint == .recordsCount { #expect(answer.json["count"] == 0) }
                    if endpoint == .recordsQuery, answer.status == 200 { #expect(answer.records.isEmpty) }
                    if endpoint == .zonesList {
                        #expect(answer.zones.map { $0["zoneID"]["zoneName"] } == ["_defaultZone"])
                    }
                    if endpoint == .changesDatabase || endpoint == .zonesChanges {
                        #expect(answer.zones.isEmpty)
                    }
                }
            }
            #expect(try await cloud.record("secret", zone: "Zone") != nil)
            #expect(try await cloud.record("secret") != nil)
        }
    }

    @Test(arguments: Endpoint.allCases)
    func `Without a user there is no private database`(_ endpoint: Endpoint) async throws {
        try await TestCloud.run { cloud in
            for scope in [DatabaseScope.private, .shared] {
                let answer = try await cloud.send(endpoint, [:], as: .nobody, in: scope)
                #expect(answer.code == "AUTHENTICATION_REQUIRED")
                #expect(answer.status == 421)
            }
        }
    }

    @Test func `Tokens are good for their container, environment, kind and time only`() async throws {
        try await TestCloud.run { cloud in
            let tenant = Tenant(container: cloud.container, environment: .development)
            let production = Tenant(container: cloud.container, environment: .production)
            let other = Tenant(container: try ContainerID("iCloud.other"), environment: .development)
            let end = cloud.wait(milliseconds: 0) + 60_000
            try await cloud.addToken("brief", .web, tenant, user: "_b", expiresAt: end)
            try await cloud.addToken("api", .api, other, user: nil)
            func code(_ api: String?, _ web: String?, at place: Tenant) async throws -> String? {
                try await cloud.send(
                    .zonesList, bytes: [], credentials: Credentials(apiToken: api, webAuthToken: web),
                    tenant: place,
                    in: .private
                ).code
            }
            let api = "\(tenant)-api"
            let web = "\(tenant)-alice"
            #expect(try await code(api, web, at: tenant) == nil)
            #expect(try await code(nil, web, at: tenant) == "AUTHENTICATION_FAILED")
            #expect(try await code("", web, at: tenant) == "AUTHENTICATION_FAILED")
            #expect(try await code(api + "x", web, at: tenant) == "AUTHENTICATION_FAILED")
            #expect(
                try await code(String(repeating: "x", count: 100_000), web, at: tenant)
                    == "AUTHENTICATION_FAILED")
            #expect(try await code(web, web, at: tenant) == "AUTHENTICATION_FAILED")
            #expect(try await code(api, api, at: tenant) == "AUTHENTICATION_FAILED")
            // A token that was taken back is unknown: its user has to sign in again.
            #expect(try await code(api, "unknown", at: tenant) == "AUTHENTICATION_REQUIRED")
            #expect(try await code(api, web, at: production) == "AUTHENTICATION_FAILED")
            #expect(try await code("\(production)-api", web, at: production) == "AUTHENTICATION_FAILED")
            #expect(try await code("\(other)-api", web, at: other) == "AUTHENTICATION_FAILED")
            #expect(try await code(api, web, at: other) == "AUTHENTICATION_FAILED")
            #expect(try await code(api, "\(tenant)-brief", at: tenant) == nil)
            cloud.wait(milliseconds: 60_000)
            #expect(try await code(api, "\(tenant)-brief", at: tenant) == "AUTHENTICATION_REQUIRED")
            let ended = try await cloud.send(
                .usersCaller, bytes: [],
                credentials: Credentials(apiToken: api, webAuthToken: "\(tenant)-brief"), tenant: tenant,
                in: .public)
            #expect(ended.status == 421 && ended.json["reason"] == "request needs authorization")
            let bad = RequestSignature(keyID: "k", date: nil, signature: "s", target: "/")
            let signed = Credentials(apiToken: nil, webAuthToken: nil, signature: bad)
            for credentials in [signed, Credentials(apiToken: api, webAuthToken: web, signature: bad)] {
                let answer = try await cloud.send(
                    .zonesList, bytes: [], credentials: credentials, tenant: tenant, in: .private)
                #expect(answer.code == "AUTHENTICATION_FAILED" && answer.status == 401)
            }
        }
    }

    @Test func `A revoked token ends after a moment`() async throws {
        try await TestCloud.run { cloud in
            let tenant = Tenant(container: cloud.container, environment: .development)
            #expect(try await cloud.send(.zonesList, [:], as: .bob).code == nil)
            let digest = AccessToken.digest("\(tenant)-bob")
            try await cloud.store.write { try $0.deleteToken(digest: digest) }
            cloud.wait(milliseconds: 6_000)
            #expect(try await cloud.send(.zonesList, [:], as: .bob).code == "AUTHENTICATION_REQUIRED")
        }
    }

    @Test(arguments: [false, true])
    func `Who may change a record of the public database`(_ isGranted: Bool) async throws {
        try await TestCloud.run { cloud in
            if isGranted { try await cloud.grant(.write, to: "_icloud") }
            try await cloud.save("r", ["n": ["value": 1]], in: .public)
            #expect(try await cloud.record("r", as: .nobody, in: .public) != nil)
            #expect(try await cloud.query(["recordType": "Note"], as: .bob, in: .public).names == ["r"])
            let denied: String? = isGranted ? nil : "ACCESS_DENIED"
            for operation in ["forceUpdate", "forceReplace", "update", "replace", "delete", "forceDelete"] {
                let tag = try await cloud.record("r", in: .public)?["recordChangeTag"].string
                let before = try await cloud.record("r", in: .public)
                let answer = try await cloud.modify(
                    [TestCloud.operation(operation, "r", tag: tag, fields: ["n": ["value": 2]])], as: .bob,
                    in: .public)
                #expect(answer.codes == [denied], "\(operation)")
                if denied != nil { #expect(try await cloud.record("r", in: .public) == before) }
                if try await cloud.record("r", in: .public) == nil {
                    try await cloud.save("r", ["n": ["value": 1]], in: .public)
                }
            }
            let nobody = try await cloud.modify(
                [TestCloud.operation("create", "x")], as: .nobody, in: .public)
            #expect(nobody.code == "AUTHENTICATION_REQUIRED")
            let create = try await cloud.modify([TestCloud.operation("create", "r")], as: .bob, in: .public)
            #expect(create.codes == ["CONFLICT"])
            let own = try await cloud.modify([TestCloud.operation("forceDelete", "r")], in: .public)
            #expect(own.codes == [nil])
        }
    }

    @Test func `Environments and databases are worlds of their own`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("r", ["n": ["value": 1]])
            #expect(try await cloud.record("r", in: .public) == nil)
            #expect(try await cloud.record("r", as: .bob) == nil)
            let production = try await cloud.send(
                .recordsLookup, ["records": [["recordName": "r"]]], environment: .production)
            #expect(production.codes == ["NOT_FOUND"])
            let query = try await cloud.send(
                .recordsQuery, ["query": ["recordType": "Note"]], environment: .production)
            #expect(query.code == "NOT_FOUND")
        }
    }

    @Test func `The caller is told by name`() async throws {
        try await TestCloud.run { cloud in
            let answer = try await cloud.send(.usersCaller, [:], as: .carol, in: .public)
            #expect(answer.json["userRecordName"] == .string(TestCloud.Sender.carol.userName))
            #expect(
                try await cloud.send(.usersCaller, [:], as: .nobody, in: .public).code
                    == "AUTHENTICATION_REQUIRED")
            let shared = try await cloud.send(.zonesList, [:], in: .shared)
            #expect(shared.status == 200 && shared.zones.isEmpty)
        }
    }
}
