import RecordModel
import RecordStorage
import TestSupport
import Testing

@testable import RecordEngine

/// The name that Sign in with Apple tells once: kept where there is none, and never a reason to keep somebody out.
@Suite struct ProvidedNameTests {
    private typealias Walk = ProviderAccountTests.Walk
    private static let ada = #"{"name":{"firstName":" Ada ","lastName":"Lovelace"},"email":"a@example.org"}"#

    private static func walk(
        issuer: String = ProvidedName.issuer, _ body: (Walk) async throws -> Void
    ) async throws {
        try await TestCloud.run { cloud in
            let walk = try await Walk(cloud, issuer: issuer)
            try await walk.ground.open()
            try await body(walk)
        }
    }

    private static func kept(_ user: UserRow, _ walk: Walk) async throws -> UserDiscovery? {
        try await walk.ground.cloud.store.read(.short) {
            try $0.user(named: user.recordName, of: user.tenant)?.discovery
        }
    }

    @Test func `The first visit's name stays, and nobody has agreed to show it`() async throws {
        try await Self.walk { walk in
            let first = try await walk.signIn("ada", user: Self.ada).user
            let name = UserDiscovery(isAllowed: nil, givenName: "Ada", familyName: "Lovelace")
            #expect(first.discovery == name)
            #expect(try await walk.signIn("ada").user == first)
            #expect(try await walk.signIn("ada", user: #"{"name":{"firstName":"Eve"}}"#).user == first)
            #expect(try await Self.kept(first, walk) == name)
        }
    }

    @Test func `A name that comes later fills an empty one, but not against an answer`() async throws {
        try await Self.walk { walk in
            let ada = try await walk.signIn("ada").user
            #expect(ada.discovery == UserDiscovery())
            #expect(try await walk.signIn("ada", user: Self.ada).user.discovery.givenName == "Ada")
            let bob = try await walk.signIn("bob").user
            let answer = UserDiscovery(isAllowed: false)
            try await walk.ground.cloud.store.write {
                try $0.setDiscovery(answer, ofUserNamed: bob.recordName, tenant: bob.tenant)
            }
            #expect(try await walk.signIn("bob", user: Self.ada).user.discovery == answer)
            #expect(try await Self.kept(bob, walk) == answer)
        }
    }

    @Test func `Who connects Apple gets the name as well`() async throws {
        try await Self.walk { walk in
            let own = try #require(try await walk.ground.signUp("ada@example.org"))
            try await walk.connect("ada", to: own.account, user: Self.ada)
            #expect(try await Self.kept(own.user, walk)?.familyName == "Lovelace")
        }
    }

    @Test func `Another provider tells no name`() async throws {
        try await Self.walk(issuer: "https://appleid.apple.com.example") { walk in
            let user = try await walk.signIn("ada", user: Self.ada).user
            #expect(user.discovery == UserDiscovery())
            #expect(try await Self.kept(user, walk) == UserDiscovery())
        }
    }

    @Test func `What is no name lets in like none`() async throws {
        let longest = String(repeating: "a", count: Limits.personNameBytes)
        let texts = [
            "", "{", "null", "[]", "\"Ada\"", "{}", #"{"name":null}"#, #"{"name":"Ada"}"#,
            #"{"name":{"firstName":7,"lastName":["x"]}}"#, #"{"name":{"firstName":"","lastName":" "}}"#,
            #"{"name":{"firstName":"a\u0000b"}}"#, #"{"name":{"firstName":"\ud800"}}"#,
            #"{"name":{"firstName":"\#(longest)a"}}"#,
            #"{"name":{"firstName":"\#(String(repeating: "a", count: 10_000))"}}"#,
            #"{"name":{"firstName":"Ada"},"more":"\#(String(repeating: " ", count: 10_000))"}"#,
            String(repeating: "[", count: 4_000), String(repeating: #"{"name":"#, count: 500),
        ]
        for text in texts { #expect(ProvidedName(user: text) == nil, "\(text.prefix(40))") }
        try await Self.walk { walk in
            for text in texts {
                let user = try await walk.signIn("ada", user: text).user
                #expect(user.discovery == UserDiscovery(), "\(text.prefix(40))")
            }
        }
        #expect(ProvidedName(user: #"{"name":{"lastName":"\#(longest)"}}"#)?.familyName == longest)
        // One half that is too long does not take the other along.
        let half = ProvidedName(user: #"{"name":{"firstName":"Ada","lastName":"\#(longest)a"}}"#)
        #expect(half?.givenName == "Ada" && half?.familyName == "")
    }

    @Test func `A carried name is read beside its state alone, and by this server alone`() async throws {
        try await Self.walk { walk in
            let carried = try #require(walk.accounts.carriedName(ofUser: Self.ada, besides: "state"))
            #expect(walk.accounts.providedName(carried: carried, besides: "state")?.givenName == "Ada")
            #expect(walk.accounts.providedName(carried: carried, besides: "other") == nil)
            #expect(walk.accounts.providedName(carried: Self.ada, besides: "state") == nil)
            for index in 0..<carried.utf8.count - 1 where index % 5 == 0 {
                var bytes = Array(carried.utf8)
                bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                let changed = String(decoding: bytes, as: UTF8.self)
                #expect(
                    walk.accounts.providedName(carried: changed, besides: "state") == nil, "letter \(index)")
            }
        }
    }
}
