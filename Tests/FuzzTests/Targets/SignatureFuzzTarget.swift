import Crypto
import Foundation
import RecordModel
import RecordWire

@testable import RecordEngine

extension FuzzTarget {
    /// Requests that a server-to-server key signs: the key's id, the date, the signature, the address and the body. One request
    /// alone was ever signed with the key, so whatever is taken has to be that one.
    static func signatures() throws -> FuzzTarget {
        let own = try P256.Signing.PrivateKey(rawRepresentation: Array(repeating: 7, count: 32))
        let stranger = try P256.Signing.PrivateKey(rawRepresentation: Array(repeating: 9, count: 32))
        let id = Array(SHA256.hash(data: own.publicKey.derRepresentation))
        let date = "2026-01-31T23:59:59Z"
        let target = "/database/1/iCloud.test/development/public/records/query?ckAPIToken=abc"
        let body = "{\"query\":{\"recordType\":\"Note\"}}"
        let digest = Base64.encode(Array(SHA256.hash(data: Array(body.utf8))))
        func seed(_ key: P256.Signing.PrivateKey) throws -> [UInt8] {
            let signature = try key.signature(for: Data("\(date):\(digest):\(target)".utf8))
            return input([id.hex, date, Base64.encode(Array(signature.derRepresentation)), target, body])
        }
        let (key, other) = (own.publicKey, stranger.publicKey)
        return FuzzTarget(
            name: "signatures", seeds: [try seed(own), try seed(own), try seed(stranger)],
            words: [
                "=", "MEUCIQ", "MEQCIA", "AAAA", "0", "Z", "T", "-", ":", ".5", "9999", "/database/1", "?",
                "ckAPIToken=", "\u{301}",
            ], count: 4_000
        ) { input in
            let parts = texts(input, 5)
            let request = RequestSignature(
                keyID: parts[0], date: parts[1], signature: parts[2], target: parts[3])
            guard let request, let head = try? SignatureHead(request) else { return false }
            try Forgery.unless(
                SignatureHead.milliseconds(parts[1]) == head.date && head.key.count == 32,
                "A head is read as another one.")
            let sent = Array(parts[4].utf8)
            // The stranger's signature is good for the stranger's key alone, which is not in the store.
            let isOwn = head.isValid(for: key, body: sent)
            if isOwn || head.isValid(for: other, body: sent) {
                try Forgery.unless(
                    parts[1] == date && parts[3] == target && parts[4] == body,
                    "A signature is good for another request.")
            }
            return isOwn && head.key == id
        }
    }
}
