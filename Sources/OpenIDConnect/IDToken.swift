internal import Foundation
internal import JWTKit
internal import RecordEngine
internal import RecordWire

/// The token by which a provider says who somebody is (OpenID Connect Core 1.0, 2 and 3.1.3.7).
struct IDToken: JWTPayload {
    /// How far the provider's clock and ours may differ.
    static let skewSeconds = 120.0
    /// The longest token that is looked at.
    static let longest = 16_384
    /// The longest subject in bytes (Core 1.0, 2).
    static let longestSubject = 255

    let iss: String
    let sub: String
    let aud: AudienceClaim
    let exp: Double
    let iat: Double
    let nbf: Double?
    let azp: String?
    let nonce: String?
    let email: String?
    /// Some providers send a text, Apple for example.
    let emailVerified: BoolClaim?

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

    /// The claims are checked against what was asked for, not by themselves.
    func verify(using algorithm: some JWTAlgorithm) async throws {}

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

    /// Checks a token's signature with a key that is for it.
    ///
    /// - Throws: ``ProviderFailure``.
    static func checked(
        _ token: String, _ algorithm: TokenAlgorithm, _ key: PublishedKeys.Key
    ) async throws -> IDToken {
        let identifier = JWKIdentifier(string: key.kid ?? "key")
        guard let jwk = algorithm.jwk(key, identifier: identifier) else {
            throw ProviderFailure(
                .badToken, "The provider's key '\(identifier.string.prefix(100))' cannot be read.")
        }
        do {
            // One key alone, which knows one way of signing: nothing in the token can choose another.
            return try await JWTKeyCollection().add(jwk: jwk).verify(token, as: IDToken.self)
        } catch {
            throw ProviderFailure(.badToken, "The provider's token is not signed by it, or cannot be read.")
        }
    }

    /// - Throws: ``ProviderFailure`` with the claim that is wrong.
    func check(_ expected: Expectation) throws(ProviderFailure) {
        let problem: String? =
            if iss != expected.issuer {
                "is of the issuer '\(iss.prefix(200))'"
            } else if !aud.value.contains(expected.clientID) {
                "is for somebody else"
            } else if aud.value.count > 1 || azp != nil, azp != expected.clientID {
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
            address: emailVerified?.value == true ? email.flatMap { MailAddress($0) } : nil)
    }
}
