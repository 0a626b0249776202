internal import Foundation
internal import JWTKit
internal import RecordEngine
internal import RecordWire

/// The token by which a provider says who somebody is (OpenID Connect Core 1.0, 2 and 3.1.3.7).
struct IDToken: Decodable, Sendable {
    /// How far the provider's clock and ours may differ.
    static let skewSeconds = 120.0
    /// The longest token that is looked at.
    static let longest = 16_384
    /// The longest subject in bytes (Core 1.0, 2).
    static let longestSubject = 255

    let iss: String
    let sub: String
    let aud: Audience
    let exp: Double
    let iat: Double
    let nbf: Double?
    let azp: String?
    let nonce: String?
    let email: String?
    let emailVerified: Flag?

    enum CodingKeys: String, CodingKey {
        case iss, sub, aud, exp, iat, nbf, azp, nonce, email
        case emailVerified = "email_verified"
    }

    /// What a token must be for.
    struct Expectation: Sendable {
        var issuer: String
        var clientID: String
        var nonce: String
        /// Seconds since 1970.
        var now: Double
    }

    /// How a token says that it was signed; nil for a way that is not taken.
    static func head(of token: String) -> (algorithm: TokenAlgorithm, key: String?)? {
        struct Head: Decodable {
            let alg: String
            let kid: String?
            let crit: [String]?
        }
        guard token.utf8.count <= longest,
            let first = token.split(separator: ".", omittingEmptySubsequences: false).first,
            let bytes = Base64.decode(String(first)),
            let head = try? JSONDecoder().decode(Head.self, from: Data(bytes)),
            // An extension that must be understood, and none is (RFC 7515, 4.1.11).
            head.crit == nil,
            let algorithm = TokenAlgorithm(rawValue: head.alg)
        else { return nil }
        return (algorithm, head.kid)
    }

    /// Checks a token's signature with a key that is for it, and reads its claims only then.
    ///
    /// - Returns: nil where the key did not sign it, or is none.
    /// - Throws: ``ProviderFailure`` where what is signed cannot be read.
    static func checked(
        _ token: String, _ algorithm: TokenAlgorithm, _ key: PublishedKeys.Key
    ) async throws -> IDToken? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = Base64.decode(String(parts[1])),
            let signature = Base64.decode(String(parts[2]))
        else { throw ProviderFailure(.badToken, "The provider's token has not three parts.") }
        // One key alone, which knows one way of signing: nothing in the token can choose another. A key that is none, and a
        // signature of a wrong length, are errors of the library.
        guard let jwk = algorithm.jwk(key, identifier: JWKIdentifier(string: key.kid ?? "key")),
            // It only reads the key: one that is none signs nothing.
            let signer = try? await JWTKeyCollection().add(jwk: jwk).getKey(),
            (try? signer.verify(signature, signs: Array("\(parts[0]).\(parts[1])".utf8))) == true
        else { return nil }
        guard let read = try? JSONDecoder().decode(IDToken.self, from: Data(claims)) else {
            throw ProviderFailure(.badToken, "The claims of the provider's token cannot be read.")
        }
        return read
    }

    /// - Throws: ``ProviderFailure`` with the claim that is wrong.
    func check(_ expected: Expectation) throws(ProviderFailure) {
        let problem: String? =
            if iss != expected.issuer {
                "is of the issuer '\(iss.prefix(200))'"
            } else if !aud.clients.contains(expected.clientID) {
                "is for somebody else"
            } else if aud.clients.count > 1 || azp != nil, azp != expected.clientID {
                "was made for somebody else"
            } else if !(exp + Self.skewSeconds > expected.now) {
                "is over"
            } else if !(iat - Self.skewSeconds < expected.now) || (nbf ?? 0) - Self.skewSeconds > expected.now
            {
                "is not good yet"
            } else if nonce != expected.nonce {
                "belongs to another sign-in"
            } else if sub.isEmpty || sub.utf8.count > Self.longestSubject
                || !sub.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            {
                "names nobody"
            } else { nil }
        if let problem { throw ProviderFailure(.badToken, "The provider's token \(problem).") }
    }

    /// Who it is; the address only where the provider says that it has been verified.
    var identity: ProvidedIdentity {
        ProvidedIdentity(
            issuer: iss, subject: sub,
            address: emailVerified?.isSet == true ? email.flatMap { MailAddress($0) } : nil)
    }
}
