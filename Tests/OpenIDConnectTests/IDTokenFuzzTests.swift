import Foundation
import JWTKit
import TestSeeds
import Testing

@testable import OpenIDConnect

/// Law: an ID token is believed where it is, byte for byte, what the provider signed for this visit; nothing else is, and
/// nothing that a provider or a browser sends ends the process.
@Suite struct IDTokenFuzzTests {
    private static let words = [
        ".", "..", "=", "e30", "bm9uZQ", "eyJhbGciOiJub25lIn0", "eyJhbGciOiJIUzI1NiIsImtpZCI6Im9uZSJ9",
        "null", "\"", "{", "}", "[",
        "\"alg\":\"none\"", "\"kid\":\"two\"", "1e999", "-0", "\u{0}", "é",
    ]

    private struct Claims: JWTPayload {
        var iss = "https://id.example.org"
        var sub = "ada"
        var aud = "client"
        var exp = 1_700_000_300.0
        var iat = 1_700_000_000.0
        var nonce = "nonce"
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    private static let expected = IDToken.Expectation(
        issuer: "https://id.example.org", clientID: "client", nonce: "nonce", now: 1_700_000_000)

    /// Who a token names, as the server finds it out.
    private static func subject(_ token: String, _ keys: PublishedKeys) async -> String? {
        guard let (algorithm, name) = IDToken.head(of: token),
            let key = keys.key(named: name, for: algorithm),
            let found = try? await IDToken.checked(token, algorithm, key), (try? found.check(expected)) != nil
        else { return nil }
        return found.sub
    }

    private static func document(_ key: ES256PrivateKey) -> String {
        func url(_ text: String?) -> String {
            (text ?? "").replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        let numbers = key.publicKey.parameters
        return
            "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"one\",\"use\":\"sig\",\"x\":\"\(url(numbers?.x))\",\"y\":\"\(url(numbers?.y))\"}]}"
    }

    @Test(.timeLimit(.minutes(60))) func `A token is believed as it was signed, or not at all`() async throws
    {
        let key = ES256PrivateKey()
        let document = Self.document(key)
        let collection = await JWTKeyCollection().add(ecdsa: key, kid: "one")
        let keys = try PublishedKeys(Array(document.utf8))
        var odd = Claims()
        odd.nonce = "another"
        let good = try await collection.sign(Claims(), kid: "one")
        let bad = try await collection.sign(odd, kid: "one")
        #expect(await Self.subject(good, keys) == "ada")
        #expect(await Self.subject(bad, keys) == nil)
        let signedPart = good.prefix(upTo: good.lastIndex(of: ".") ?? good.endIndex)
        await Fuzz("ID tokens", count: 2_000).run { seed, random in
            if random.oneIn(4) {
                // The provider's keys are broken; the token is good.
                guard let broken = try? PublishedKeys(Array(random.mutated(document, with: Self.words).utf8))
                else {
                    return false
                }
                let found = await Self.subject(good, broken)
                #expect(found == nil || found == "ada", "STRATUS_SEED=\(seed)")
                return found != nil
            }
            let parts = (random.oneIn(2) ? good : bad).split(separator: ".").map(String.init)
            var pieces = parts
            let index = random.int(0...2)
            if random.oneIn(2), let bytes = Base64URL.decoded(pieces[index]) {
                // Inside the letters of base64, where the JSON is.
                let text = random.mutated(String(decoding: bytes, as: UTF8.self), with: Self.words)
                pieces[index] = Data(text.utf8).base64EncodedString().replacing("+", with: "-")
                    .replacing("/", with: "_").replacing("=", with: "")
            } else {
                pieces[index] = random.mutated(pieces[index], with: Self.words)
            }
            let token = pieces.joined(separator: ".")
            guard let found = await Self.subject(token, keys) else { return false }
            #expect(found == "ada", "STRATUS_SEED=\(seed)")
            #expect(token.hasPrefix(signedPart + "."), "STRATUS_SEED=\(seed): \(token)")
            return true
        }
    }

    @Test func `A description leads to its own issuer, and over TLS`() async {
        let issuer = "https://id.example.org"
        let good =
            "{\"issuer\":\"\(issuer)\",\"authorization_endpoint\":\"\(issuer)/a\",\"token_endpoint\":\"\(issuer)/t\",\"jwks_uri\":\"\(issuer)/k\"}"
        let words =
            Self.words + [
                "http://", "https://", "evil.example", "@", "#", "\\\\", "127.0.0.1", ",\"issuer\":\"x\"",
            ]
        await Fuzz("ID tokens: descriptions", count: 2_000).run { seed, random in
            let text = random.mutated(good, with: words)
            guard let read = try? ProviderDescription.read(Array(text.utf8), of: issuer) else { return false }
            #expect(read.issuer == issuer, "STRATUS_SEED=\(seed)")
            for address in [read.authorizationEndpoint, read.tokenEndpoint, read.keysAddress] {
                #expect(address.hasPrefix("https:"), "STRATUS_SEED=\(seed): \(address)")
                #expect(!address.contains { $0.isWhitespace || $0.isNewline }, "STRATUS_SEED=\(seed)")
            }
            return true
        }
    }
}
