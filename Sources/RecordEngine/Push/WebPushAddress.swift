import Crypto
import Foundation
import RecordModel
import RecordWire

/// Where a browser is reached, from its `PushSubscription`.
struct WebPushAddress {
    let endpoint: String
    let key: P256.KeyAgreement.PublicKey
    let auth: [UInt8]
    /// Scheme, host and port of the endpoint.
    let origin: String

    private static let authBytes = 16

    /// - Throws: `BAD_REQUEST` for what no browser can be reached by.
    init(endpoint: String, key: String, auth: String) throws(ServiceError) {
        let parts = URLComponents(string: endpoint)
        guard let parts, let scheme = parts.scheme, ["https", "http"].contains(scheme), let host = parts.host,
            !host.isEmpty, parts.user == nil, parts.password == nil, parts.fragment == nil,
            endpoint.utf8.count <= Limits.pushAddressBytes,
            endpoint.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw ServiceError(
                .badRequest, "'endpoint' is not the address of a push service.",
                remedy: "Send the browser's PushSubscription as its toJSON() gives it.")
        }
        guard let point = Base64.decode(key), let auth = Base64.decode(auth),
            auth.count == Self.authBytes,
            let publicKey = try? P256.KeyAgreement.PublicKey(x963Representation: point)
        else {
            throw ServiceError(
                .badRequest,
                "'keys' must have 'p256dh', a point of P-256 in base64url, and 'auth', 16 bytes.",
                remedy: "Send the browser's PushSubscription as its toJSON() gives it.")
        }
        self.endpoint = endpoint
        self.key = publicKey
        self.auth = auth
        origin = "\(scheme)://\(parts.percentEncodedHost ?? host)" + (parts.port.map { ":\($0)" } ?? "")
    }

    /// Reads what ``definition`` gave.
    ///
    /// - Throws: `JSONError`, `ServiceError` where what is stored is damaged.
    init(stored definition: [UInt8]) throws {
        let json = try JSONReader.read(definition).object ?? JSONObject()
        try self.init(
            endpoint: json.requiredString("endpoint"), key: json.requiredString("p256dh"),
            auth: json.requiredString("auth"))
    }

    /// The address as its row keeps it.
    var definition: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("endpoint", endpoint)
            writer.member("p256dh", Base64.encodeURL(Array(key.x963Representation)))
            writer.member("auth", Base64.encodeURL(auth))
            writer.endObject()
        }
    }

    /// By what the receiver is known: whoever registers the same address again has the same receiver.
    var digest: [UInt8] { Self.digest(ofEndpoint: endpoint) }

    static func digest(ofEndpoint endpoint: String) -> [UInt8] { AccessToken.digest("webPush " + endpoint) }
}
