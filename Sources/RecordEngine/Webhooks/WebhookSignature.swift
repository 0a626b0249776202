import Crypto
import RecordWire

/// The signature of a delivery, by the Standard Webhooks specification 1.0 (github.com/standard-webhooks), for which
/// receivers have libraries: HMAC-SHA256 over `id.timestamp.body`, `v1,` before each signature, a space between them.
enum WebhookSignature {
    private static let prefix = "whsec_"
    static let keyBytes = 32

    /// A new secret of random bytes.
    static func secret(random: [UInt8]) -> String { prefix + Base64.encode(random) }

    /// The headers of a delivery, signed with each secret that is good at a time.
    static func headers(
        id: String, body: [UInt8], secrets: [WebhookDictionary.Secret], now: Int64
    ) -> [(name: String, value: String)] {
        let seconds = String(now / 1_000)
        let signed = Array("\(id).\(seconds).".utf8) + body
        let codes = secrets.filter { $0.endsAt.map { $0 > now } ?? true }.compactMap { secret in
            Base64.decode(String(secret.text.dropFirst(prefix.count))).map { key in
                let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: key))
                return "v1,\(Base64.encode(Array(code)))"
            }
        }
        return [
            ("webhook-id", id), ("webhook-timestamp", seconds),
            ("webhook-signature", codes.joined(separator: " ")),
        ]
    }
}
