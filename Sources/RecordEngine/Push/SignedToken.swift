import Crypto
import RecordWire

/// A JSON Web Token signed with ES256 (RFC 7515, RFC 7518 3.4), as push services want them.
enum SignedToken {
    static func make(
        header: (inout JSONWriter) -> Void, claims: (inout JSONWriter) -> Void, key: P256.Signing.PrivateKey
    ) throws -> String {
        func part(_ members: (inout JSONWriter) -> Void) -> String {
            Base64.encodeURL(
                JSONWriter.text { writer in
                    writer.beginObject()
                    members(&writer)
                    writer.endObject()
                })
        }
        let signed = part(header) + "." + part(claims)
        let signature = try key.signature(for: Array(signed.utf8))
        return signed + "." + Base64.encodeURL(Array(signature.rawRepresentation))
    }
}
