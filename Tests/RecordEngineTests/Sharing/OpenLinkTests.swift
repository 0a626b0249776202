import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// What is shared with everybody who has the link, as people without an account see it.
@Suite struct OpenLinkTests {
    @Test func `A pass needs owner and operator, and ends when one of them takes it back`() async throws {
        try await TestCloud.run { cloud in
            let tenant = Tenant(container: cloud.container, environment: .development)
            func allow(_ isAllowed: Bool) async throws {
                _ = try await SignInPolicies.set(
                    links: ShareLinkSettings(showsShares: isAllowed), of: tenant, store: cloud.store)
            }
            try await cloud.makeZones("Z")
            let root = TestCloud.operation("create", "root", fields: ["n": ["value": 1]])
            func share(_ operation: String, isOpen: Bool) -> JSONValue {
                let record: JSONValue = [
                    "recordType": "cloudkit.share", "recordName": "s", "fields": [:],
                    "forRecord": ["recordName": "root"], "publicAnonymousAccess": .bool(isOpen),
                ]
                return ["operationType": .string(operation), "record": record]
            }
            let saved = try await cloud.modify([root, share("create", isOpen: true)], zone: "Z")
            let link = try #require(saved.records.first?["shortGUID"].string, "\(saved.json)")

            func pass() async throws -> String? {
                let answer = try await cloud.send(
                    .recordsResolve, ["shortGUIDs": [["value": .string(link)]]], as: .nobody, in: .public)
                let result = answer.json["results"].array?.first
                let token = result?["anonymousPublicAccess"]["token"].string
                #expect((result?["requireAppleLogin"].bool == true) == (token == nil), "\(answer.json)")
                return token
            }
            func read(_ token: String) async throws -> String? {
                var credentials = Credentials(apiToken: "\(tenant)-api", webAuthToken: nil)
                credentials.shareToken = token
                let body: JSONValue = [
                    "zoneID": [
                        "zoneName": "Z", "ownerRecordName": .string(TestCloud.Sender.alice.userName),
                    ],
                    "records": [["recordName": "root"]],
                ]
                let answer = try await cloud.send(
                    .recordsLookup, bytes: body.bytes, credentials: credentials, tenant: tenant, in: .shared)
                return answer.code ?? answer.records.first?["serverErrorCode"].string
            }

            #expect(try await pass() == nil)
            try await allow(true)
            let first = try #require(try await pass())
            #expect(try await read(first) == nil)
            try await allow(false)
            #expect(try await read(first) != nil)
            #expect(try await pass() == nil)
            try await allow(true)
            let second = try #require(try await pass())
            #expect(try await read(second) == nil)
            _ = try await cloud.modify([share("forceUpdate", isOpen: false)], zone: "Z")
            #expect(try await read(second) != nil)
            #expect(try await pass() == nil)
        }
    }
}
