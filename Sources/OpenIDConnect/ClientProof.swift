internal import Foundation
internal import JWTKit
internal import RecordStorage

/// How this server shows a provider that it is the client.
struct ClientProof: Sendable {
    /// How long a secret that is a signed token is good, in seconds.
    private static let seconds = 300.0

    /// What goes into the form.
    var form: [(String, String)]
    /// What goes into the request's head.
    var headers: [String: String] = [:]

    /// Makes what a provider wants to see.
    ///
    /// - Throws: ``ProviderFailure`` where the key is none.
    init(_ provider: SignInProviderRow, _ methods: [String]?, now: Double) async throws {
        form = [("client_id", provider.clientID)]
        guard !provider.secret.isEmpty else { return }
        if !provider.keyID.isEmpty {
            form.append(("client_secret", try await Self.signed(provider, now: now)))
            return
        }
        let secret = String(decoding: provider.secret, as: UTF8.self)
        guard methods == nil || methods?.contains("client_secret_basic") == true else {
            form.append(("client_secret", secret))
            return
        }
        // Both are written as in a form first (RFC 6749, 2.3.1).
        let pair = "\(FormText.encoded(provider.clientID)):\(FormText.encoded(secret))"
        headers = ["Authorization": "Basic \(Data(pair.utf8).base64EncodedString())"]
        form = []
    }

    /// Apple's secret: a token that the team's key signs
    /// (https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret).
    private struct Claims: JWTPayload {
        let iss: String
        let sub: String
        let aud: String
        let iat: Int64
        let exp: Int64

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    private static func signed(_ provider: SignInProviderRow, now: Double) async throws -> String {
        do {
            let key = try ES256PrivateKey(pem: String(decoding: provider.secret, as: UTF8.self))
            let claims = Claims(
                iss: provider.team, sub: provider.clientID, aud: provider.issuer, iat: Int64(now),
                exp: Int64(now + seconds))
            return try await JWTKeyCollection()
                .add(ecdsa: key, kid: JWKIdentifier(string: provider.keyID))
                .sign(claims, kid: JWKIdentifier(string: provider.keyID))
        } catch {
            throw ProviderFailure(.badSettings, "The private key of '\(provider.name)' cannot sign (ES256).")
        }
    }
}
