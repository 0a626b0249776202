import Crypto
import Foundation

@testable import OpenIDConnect

extension FuzzTarget {
    private static let issuer = "https://id.example.org"
    private static let expected = IDToken.Expectation(
        issuer: issuer, clientID: "client", nonce: "nonce", now: 1_700_000_000)

    /// What a provider of OpenID Connect sends. The first byte says what the rest is: a token, the claims of a token that is
    /// signed as it should be, the provider's keys, its description; or which of ``HostileJSON`` stand in the place of claims of a
    /// token that is signed then, or of the numbers of a key that a token is checked with.
    static func identityTokens() throws -> FuzzTarget {
        let provider = try TestProvider()
        let keys = try PublishedKeys(Array(provider.keys.utf8))
        let good = try provider.token(provider.claims)
        let signed = good[...(good.lastIndex(of: ".") ?? good.startIndex)]
        let odd = try provider.token(provider.claims.replacing("\"nonce\"}", with: "\"another\"}"))
        let description =
            "{\"issuer\":\"\(issuer)\",\"authorization_endpoint\":\"\(issuer)/a\",\"token_endpoint\":\"\(issuer)/t\",\"jwks_uri\":\"\(issuer)/k\"}"
        return FuzzTarget(
            name: "id-tokens",
            seeds: zip([0, 0, 1, 2, 3], [good, odd, provider.claims, provider.keys, description]).map {
                [UInt8($0)] + Array($1.utf8)
            } + [[4], [4, 2, 0], [4, 3, 7, 9, 1], [5, 0, 3, 1], [5, 1, 2, 0, 4, 1], [5, 2, 2, 9]],
            words: [
                ".", "..", "=", "e30", "bm9uZQ", "eyJhbGciOiJub25lIn0", "null", "\"", "{", "}", "[", "]", ",",
                "\"alg\":\"none\"", "\"kid\":\"two\"", "\"aud\":[\"client\"]", "\"aud\":[]",
                "\"azp\":\"client\"",
                "\"email_verified\":\"true\"", "\"nbf\":1", "1e999", "-0", "\\u0000", "é", "http://",
                "https://",
                "@", "#", "\\\\", "127.0.0.1",
            ], count: 2_000
        ) { input in
            guard let kind = input.first else { return false }
            let rest = Array(input.dropFirst())
            switch kind % 6 {
            case 0:
                let token = String(decoding: rest, as: UTF8.self)
                guard let found = await identity(token, keys) else { return false }
                try Forgery.unless(
                    found.sub == "ada" && token.hasPrefix(signed), "Believed and not signed: \(token)")
                return true
            case 1:
                let claims = String(decoding: rest, as: UTF8.self)
                guard let found = await identity(try provider.token(claims), keys) else { return false }
                return try checkClaims(claims, found)
            case 2:
                guard let broken = try? PublishedKeys(rest), let found = await identity(good, broken) else {
                    return false
                }
                try Forgery.unless(found.sub == "ada", "Somebody else: \(found.sub)")
                return true
            case 3: return try checkDescription(rest)
            case 4:
                let claims = HostileJSON.replacing(members: provider.members, by: rest)
                guard let found = await identity(try provider.token(claims), keys) else { return false }
                return try checkClaims(claims, found)
            default: return try await checkKey(rest, provider.claims)
            }
        }
    }

    /// Checks tokens with keys whose numbers are any: none of them has signed one.
    private static func checkKey(_ choices: [UInt8], _ claims: String) async throws -> Bool {
        let kinds = [
            ("RS256", "\"RSA\""), ("PS512", "\"RSA\""), ("ES256", "\"EC\",\"crv\":\"P-256\""),
            ("ES384", "\"EC\",\"crv\":\"P-384\""), ("ES512", "\"EC\",\"crv\":\"P-521\""),
            ("EdDSA", "\"OKP\",\"crv\":\"Ed25519\""),
        ]
        let (name, start) = kinds[Int(choices.first ?? 0) % kinds.count]
        func number(_ place: Int) -> [UInt8] {
            guard choices.count > place + 1 else { return [] }
            // Lengths at which curves and RSA begin, and others.
            let counts = [0, 1, 31, 32, 33, 48, 64, 66, 127, 128, 256, 257, 512, 1_024, 1_050]
            let count = counts[Int(choices[place]) % counts.count]
            return (0..<count).map { $0 == count - 1 ? choices[place + 1] | 1 : choices[place + 1] }
        }
        let numbers = ["n", "e", "x", "y"].enumerated().map { place, name in
            "\"\(name)\":\"\(TestProvider.url(number(1 + 2 * place)))\""
        }
        let body = "{\"keys\":[{\"kty\":\(start),\(numbers.joined(separator: ","))}]}"
        guard let keys = try? PublishedKeys(Array(body.utf8)) else { return false }
        for length in [0, 1, 64, 96, 132, 256, Int(choices.last ?? 0)] {
            let text = "\(TestProvider.url("{\"alg\":\"\(name)\"}".utf8)).\(TestProvider.url(claims.utf8))"
            let token = "\(text).\(TestProvider.url([UInt8](repeating: 1, count: length)))"
            try Forgery.unless(await identity(token, keys) == nil, "Signed by a key that nobody has: \(body)")
        }
        return false
    }

    /// Who a token names, as the server finds it out.
    private static func identity(_ token: String, _ keys: PublishedKeys) async -> IDToken? {
        guard let (algorithm, name) = IDToken.head(of: token),
            let key = keys.key(named: name, for: algorithm),
            let found = try? await IDToken.checked(token, algorithm, key),
            (try? found.check(expected)) != nil
        else { return nil }
        return found
    }

    /// What is believed says what was asked for, as another reader of JSON sees it.
    private static func checkClaims(_ text: String, _ found: IDToken) throws -> Bool {
        // Of a claim that is there twice, readers take one or the other, and JSONDecoder does not read what it leaves.
        guard
            ["iss", "sub", "aud", "nonce"].allSatisfy({ text.components(separatedBy: "\"\($0)\"").count == 2 }
            )
        else { return true }
        guard let read = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            throw Forgery("Claims are believed that are no JSON: \(text)")
        }
        try Forgery.unless(read["iss"] as? String == issuer && read["nonce"] as? String == "nonce", text)
        let audience = (read["aud"] as? [String]) ?? [read["aud"] as? String ?? ""]
        try Forgery.unless(audience.contains("client"), text)
        try Forgery.unless(
            read["sub"] as? String == found.sub && !found.sub.isEmpty && found.sub.utf8.count <= 255, text)
        return true
    }

    private static func checkDescription(_ body: [UInt8]) throws -> Bool {
        guard let read = try? ProviderDescription.read(body, of: issuer) else { return false }
        try Forgery.unless(read.issuer == issuer, "Another issuer.")
        for address in [read.authorizationEndpoint, read.tokenEndpoint, read.keysAddress] {
            try Forgery.unless(
                address.lowercased().hasPrefix("https:")
                    && !address.contains { $0.isWhitespace || $0.isNewline },
                "No address over TLS: \(address)")
        }
        return true
    }
}

/// A provider that signs whatever it is asked to.
private struct TestProvider: Sendable {
    /// The claims of a good token, as JSON.
    let members = [
        ("iss", "\"https://id.example.org\""), ("sub", "\"ada\""), ("aud", "\"client\""),
        ("exp", "1700000300"), ("iat", "1700000000"), ("nonce", "\"nonce\""),
    ]
    var claims: String { HostileJSON.object(members) }
    let keys: String
    private let key: P256.Signing.PrivateKey

    init() throws {
        key = try P256.Signing.PrivateKey(rawRepresentation: Array(repeating: 5, count: 32))
        let point = key.publicKey.rawRepresentation
        let (x, y) = (Self.url(point.prefix(32)), Self.url(point.suffix(32)))
        keys =
            "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"one\",\"use\":\"sig\",\"x\":\"\(x)\",\"y\":\"\(y)\"}]}"
    }

    func token(_ claims: String) throws -> String {
        let head = "{\"alg\":\"ES256\",\"typ\":\"JWT\",\"kid\":\"one\"}"
        let text = "\(Self.url(head.utf8)).\(Self.url(claims.utf8))"
        return "\(text).\(Self.url(try key.signature(for: Data(text.utf8)).rawRepresentation))"
    }

    static func url(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
