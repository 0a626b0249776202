import Crypto
import Foundation
import RecordWire

/// By what push services know this service again: VAPID (RFC 8292).
///
/// The key is made of the service's secret, so all nodes have it, and a backup does. A service with another secret is
/// another sender, and browsers have to register again.
struct VoluntaryIdentity: Sendable {
    private let key: P256.Signing.PrivateKey
    /// How long a token is good, in seconds; 24 hours is the most that push services take.
    private static let tokenSeconds: Int64 = 43_200

    init(_ secret: ServiceSecret) throws {
        var counter: UInt8 = 0
        while true {
            var code = secret.code
            code.update(data: Array("web push key".utf8) + [counter])
            // One of 2^32 numbers is too large to be a key.
            if let key = try? P256.Signing.PrivateKey(rawRepresentation: Data(code.finalize())) {
                self.key = key
                return
            }
            guard counter < .max else { throw CryptoKitError.incorrectKeySize }
            counter += 1
        }
    }

    /// The public half as browsers take it: `applicationServerKey`.
    var publicKey: String { Base64.encodeURL(Array(key.publicKey.x963Representation)) }

    /// The header `Authorization` for a push.
    ///
    /// - Parameters:
    ///   - origin: of the push service.
    ///   - contact: an `https` address of this service; nil where it has none.
    ///   - now: in milliseconds.
    func authorization(for origin: String, contact: String?, now: Int64) throws -> String {
        let token = try SignedToken.make(
            header: {
                $0.member("typ", "JWT")
                $0.member("alg", "ES256")
            },
            claims: {
                $0.member("aud", origin)
                $0.member("exp", now / 1_000 + Self.tokenSeconds)
                $0.member("sub", contact)
            }, key: key)
        return "vapid t=\(token), k=\(publicKey)"
    }
}
