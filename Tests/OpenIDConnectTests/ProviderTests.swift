import Crypto
import Foundation
import JWTKit
import RecordEngine
import RecordStorage
import RecordWire
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

/// What a provider says is believed where it is signed, for us, of now and for this visit; and a provider that misbehaves
/// costs little time and little memory. Over sockets of this machine.
@Suite(.timeLimit(.minutes(2))) struct ProviderTests {
    private func identity(
        _ provider: ScriptedProvider, _ token: String, seconds: Double = 5
    ) async throws -> ProvidedIdentity {
        provider.prepare(token)
        return try await provider.providers(seconds: seconds).identity(
            at: provider.row, code: "code", for: ScriptedProvider.visit)
    }

    private func code(
        _ provider: ScriptedProvider, _ token: String, seconds: Double = 5
    ) async -> ProviderFailure.Code? {
        do {
            _ = try await identity(provider, token, seconds: seconds)
            return nil
        } catch let failure as ProviderFailure {
            return failure.code
        } catch {
            Issue.record("\(error)")
            return nil
        }
    }

    @Test func `A good token says who somebody is, and the code goes out with the verifier`() async throws {
        let provider = try ScriptedProvider()
        defer { provider.server.stop() }
        let found = try await identity(provider, provider.signed(provider.claims()))
        #expect(found.issuer == provider.server.url && found.subject == "ada")
        #expect(found.address?.text == "ada@example.org")
        let body = try #require(provider.server.requests.first { $0.path == "/token" }?.text)
        #expect(body.contains("grant_type=authorization_code") && body.contains("code_verifier=verifier"))
        #expect(
            body.contains("client_id=client") && body.contains("redirect_uri=http%3A%2F%2Flocalhost%2Fback"))
        let address = try await provider.providers().address(of: provider.row, for: ScriptedProvider.visit)
        #expect(address.hasPrefix(provider.server.url + "/authorize?response_type=code&client_id=client&"))
        #expect(address.contains("code_challenge=\(ScriptedProvider.visit.challenge)"))
        #expect(address.contains("code_challenge_method=S256") && !address.contains("verifier"))
    }

    @Test func `The challenge is that of the standard's example`() {
        // RFC 7636, Appendix B.
        let visit = ProviderVisit(
            redirect: "", state: "", nonce: "", verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(visit.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func `Claims that are not those of this visit are refused, one at a time`() async throws {
        typealias Value = ScriptedProvider.JSONValue
        let provider = try ScriptedProvider()
        defer { provider.server.stop() }
        let now = Double(provider.now.withLock { $0 }) / 1_000
        let skew = IDToken.skewSeconds
        let bad: [(String, [String: Value?])] = [
            ("issuer", ["iss": .text("https://other.example")]),
            ("audience", ["aud": .text("another client")]),
            ("no audience", ["aud": .list([])]),
            ("audiences without a party", ["aud": .list(["client", "other"])]),
            ("party", ["azp": .text("other")]),
            ("nonce", ["nonce": .text("another")]),
            ("no nonce", ["nonce": nil]),
            ("over", ["exp": .number(now - skew - 1)]),
            ("no end", ["exp": nil]),
            ("of the future", ["iat": .number(now + skew + 1)]),
            ("not yet", ["nbf": .number(now + skew + 1)]),
            ("nobody", ["sub": .text("")]),
            ("a long name", ["sub": .text(String(repeating: "a", count: 256))]),
            ("a line break", ["sub": .text("a\nb")]),
        ]
        for (name, changes) in bad {
            let token = try await provider.signed(provider.claims(changes))
            #expect(await code(provider, token) == .badToken, "\(name)")
        }
        let good: [(String, [String: Value?])] = [
            ("two audiences", ["aud": .list(["other", "client"]), "azp": .text("client")]),
            ("a clock behind", ["exp": .number(now - skew + 1)]),
            ("a clock ahead", ["iat": .number(now + skew - 1)]),
        ]
        for (name, changes) in good {
            let token = try await provider.signed(provider.claims(changes))
            #expect(await code(provider, token) == nil, "\(name)")
        }
    }

    @Test func `Only an address that the provider has verified counts`() async throws {
        typealias Value = ScriptedProvider.JSONValue
        let provider = try ScriptedProvider()
        defer { provider.server.stop() }
        let table: [(Value?, String?)] = [
            (.bool(true), "ada@example.org"), (.text("true"), "ada@example.org"), (.bool(false), nil),
            (.text("false"), nil), (nil, nil),
        ]
        for (value, address) in table {
            let token = try await provider.signed(provider.claims(["email_verified": value]))
            #expect(try await identity(provider, token).address?.text == address, "\(value as Any)")
        }
        let none = try await provider.signed(provider.claims(["email": .text("no address")]))
        #expect(try await identity(provider, none).address == nil)
    }

    @Test func `Signatures by nobody, by another key and in another way are refused`() async throws {
        let provider = try ScriptedProvider()
        defer { provider.server.stop() }
        let claims = provider.claims()
        let publicKey = provider.key.publicKey.pemRepresentation
        func mac(_ key: String) -> @Sendable (String) -> [UInt8] {
            { text in
                Array(
                    HMAC<SHA256>.authenticationCode(
                        for: Array(text.utf8), using: SymmetricKey(data: Array(key.utf8))))
            }
        }
        let good = try await provider.signed(claims)
        let tokens = [
            "none": try provider.forged(head: #"{"alg":"none"}"#, claims) { _ in [] },
            "None": try provider.forged(head: #"{"alg":"None","kid":"one"}"#, claims) { _ in [] },
            "HS256 with the public key": try provider.forged(
                head: #"{"alg":"HS256","kid":"one"}"#, claims, signature: mac(publicKey)),
            "RS256 with a key of another kind": try provider.forged(
                head: #"{"alg":"RS256","kid":"one"}"#, claims, signature: mac(publicKey)),
            "another key": try await provider.signed(claims, with: ES256PrivateKey()),
            "a signature of zeros": try provider.forged(head: #"{"alg":"ES256","kid":"one"}"#, claims) { _ in
                Array(repeating: 0, count: 64)
            },
            "a head that must be understood": try provider.forged(
                head: #"{"alg":"ES256","kid":"one","crit":["b64"]}"#, claims, signature: mac(publicKey)),
            "no signature": good.split(separator: ".").dropLast().joined(separator: ".") + ".",
            "two parts": good.split(separator: ".").dropLast().joined(separator: "."),
            "nothing": "", "long": String(repeating: "a", count: 100_000),
        ]
        for (name, token) in tokens { #expect(await code(provider, token) == .badToken, "\(name)") }
        #expect(await code(provider, good) == nil)
        // A key for encryption signs nothing, and neither does one that says another way of signing.
        for more in [#""use":"enc","#, #""alg":"ES384","#] {
            provider.change { $0.keys = "{\"keys\":[\(provider.published(more: more))]}" }
            #expect(await code(provider, good) == .badToken, "\(more)")
        }
    }

    @Test func `A token without a key's name is checked where one key alone fits`() async throws {
        let provider = try ScriptedProvider()
        defer { provider.server.stop() }
        let token = try await provider.signed(provider.claims(), kid: nil)
        provider.change { $0.keys = "{\"keys\":[{\"kty\":\"XY\"},\(provider.published(kid: nil))]}" }
        #expect(await code(provider, token) == nil)
        let second = provider.published(ES256PrivateKey(), kid: "two")
        provider.change { $0.keys = "{\"keys\":[\(provider.published()),\(second)]}" }
        #expect(await code(provider, token) == .badToken)
    }

    @Test func `An unknown key has the keys asked for again once, and then not for a minute`() async throws {
        let provider = try ScriptedProvider()
        defer { provider.server.stop() }
        let providers = provider.providers()
        let row = try provider.row
        provider.prepare(try await provider.signed(provider.claims()))
        _ = try await providers.identity(at: row, code: "a", for: ScriptedProvider.visit)
        #expect(provider.server.count(of: "/keys") == 1)
        // The provider has another key from now on.
        let key = ES256PrivateKey()
        let token = try await provider.signed(provider.claims(), with: key, kid: "two")
        provider.prepare(token)
        provider.now.withLock { $0 += OpenIDProviders.keyPauseMilliseconds }
        provider.change { $0.keys = "{\"keys\":[\(provider.published(key, kid: "two"))]}" }
        _ = try await providers.identity(at: row, code: "b", for: ScriptedProvider.visit)
        #expect(provider.server.count(of: "/keys") == 2)
        // Names that nobody has.
        provider.prepare(try await provider.signed(provider.claims(), kid: "three"))
        for _ in 0..<20 {
            await #expect(throws: ProviderFailure.self) {
                try await providers.identity(at: row, code: "c", for: ScriptedProvider.visit)
            }
        }
        #expect(provider.server.count(of: "/keys") == 2)
        #expect(provider.server.count(of: "/.well-known/openid-configuration") == 1)
    }

    @Test
    func `A provider's key that is replaced under its name is asked for once, and then not for a minute`()
        async throws
    {
        let provider = try ScriptedProvider()
        defer { provider.server.stop() }
        let providers = provider.providers()
        let row = try provider.row
        func signIn(_ token: String) async throws -> String {
            provider.prepare(token)
            return try await providers.identity(at: row, code: "a", for: ScriptedProvider.visit).subject
        }
        #expect(try await signIn(provider.signed(provider.claims())) == "ada")
        let key = ES256PrivateKey()
        provider.change { $0.keys = "{\"keys\":[\(provider.published(key))]}" }
        let token = try await provider.signed(provider.claims(), with: key)
        // The keys were asked for a moment ago.
        await #expect(throws: ProviderFailure.self) { try await signIn(token) }
        provider.now.withLock { $0 += OpenIDProviders.keyPauseMilliseconds }
        #expect(try await signIn(token) == "ada")
        #expect(provider.server.count(of: "/keys") == 2)
        let stranger = try await provider.signed(provider.claims(), with: ES256PrivateKey())
        for _ in 0..<20 { await #expect(throws: ProviderFailure.self) { try await signIn(stranger) } }
        #expect(provider.server.count(of: "/keys") == 2)
    }

    @Test func `A description of somebody else, or with addresses for no secret, is refused`() async throws {
        let table: [[String: String]] = [
            ["issuer": "https://accounts.example.org"], ["issuer": ""],
            ["token_endpoint": "http://evil.example/token"], ["token_endpoint": "file:///etc/passwd"],
            ["authorization_endpoint": "javascript:alert(1)"], ["jwks_uri": "http://10.0.0.1/keys"],
            ["jwks_uri": "https://user:password@example.org/keys"], ["token_endpoint": "/token"],
        ]
        for changes in table {
            let provider = try ScriptedProvider()
            defer { provider.server.stop() }
            provider.change { $0.description = changes }
            let token = try await provider.signed(provider.claims())
            #expect(await code(provider, token) == .badDescription, "\(changes)")
            #expect(provider.server.count(of: "/token") == 0)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["/.well-known/openid-configuration", "/keys", "/token"])
    func `Answers that are slow, endless, none or lead elsewhere end`(_ path: String) async throws {
        let answers: [(String, LoopbackServer.Answer)] = [
            ("slow", .slow), ("endless", .endless), ("silence", .silence),
            ("redirect", .redirect(to: "/elsewhere")), ("no JSON", .json("<html>")),
            ("failure", .json("{}", status: "500 Internal Server Error")),
        ]
        for (name, answer) in answers {
            let provider = try ScriptedProvider()
            defer { provider.server.stop() }
            provider.change { $0.answers[path] = answer }
            let token = try await provider.signed(provider.claims())
            #expect(await code(provider, token, seconds: 0.5) != nil, "\(name) at \(path)")
            #expect(provider.server.count(of: "/elsewhere") == 0)
        }
    }

    @Test func `A provider that does not answer is left alone for a moment`() async throws {
        let provider = try ScriptedProvider()
        defer { provider.server.stop() }
        let path = "/.well-known/openid-configuration"
        provider.change { $0.answers[path] = .json("{}", status: "503 Service Unavailable") }
        let providers = provider.providers()
        for _ in 0..<10 {
            await #expect(throws: ProviderFailure.self) {
                try await providers.check(issuer: provider.server.url)
            }
        }
        #expect(provider.server.count(of: path) == 1)
        provider.change { $0.answers = [:] }
        provider.prepare("")
        provider.now.withLock { $0 += OpenIDProviders.failureMilliseconds }
        try await providers.check(issuer: provider.server.url)
    }

    @Test func `A visitor who leaves does not make a provider fail for others`() async throws {
        let provider = try ScriptedProvider()
        defer { provider.server.stop() }
        let path = "/.well-known/openid-configuration"
        provider.change { $0.answers[path] = .silence }
        let providers = provider.providers()
        let visit = Task { try await providers.check(issuer: provider.server.url) }
        #expect(try await eventually { provider.server.count(of: path) == 1 })
        visit.cancel()
        await #expect(throws: CancellationError.self) { try await visit.value }
        provider.change { $0.answers = [:] }
        provider.prepare("")
        try await providers.check(issuer: provider.server.url)
    }

    @Test func `A secret goes out as the provider wants it, and Apple's is a signed token`() async throws {
        let provider = try ScriptedProvider()
        defer { provider.server.stop() }
        var row = try provider.row
        row.secret = Array("a&b c".utf8)
        let basic = try await ClientProof(row, nil, now: 1)
        #expect(basic.form.isEmpty)
        #expect(
            basic.headers == ["Authorization": "Basic \(Data("client:a%26b%20c".utf8).base64EncodedString())"]
        )
        let post = try await ClientProof(row, ["client_secret_post"], now: 1)
        #expect(post.headers.isEmpty && post.form.contains { $0 == ("client_secret", "a&b c") })
        let key = ES256PrivateKey()
        row.secret = Array(key.pemRepresentation.utf8)
        row.keyID = "KEY"
        row.team = "TEAM"
        let signed = try await ClientProof(row, ["client_secret_post"], now: 1_000)
        let token = try #require(signed.form.first { $0.0 == "client_secret" }?.1)
        let head = try #require(IDToken.head(of: token))
        #expect(head.algorithm == .es256 && head.key == "KEY")
        let parts = token.split(separator: ".")
        let payload = Data(try #require(Base64.decode(String(parts[1]))))
        let members = try #require(try JSONSerialization.jsonObject(with: payload) as? [String: Any])
        #expect(members["iss"] as? String == "TEAM" && members["sub"] as? String == "client")
        #expect(members["aud"] as? String == provider.server.url && members["exp"] as? Int == 1_300)
        row.secret = Array("no key".utf8)
        await #expect(throws: ProviderFailure.self) { try await ClientProof(row, nil, now: 1) }
    }
}
