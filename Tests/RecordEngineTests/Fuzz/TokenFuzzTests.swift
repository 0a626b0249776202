import Crypto
import Foundation
import RecordModel
import RecordStorage
import RecordWire
import TestSeeds
import Testing

@testable import RecordEngine

/// Law: nothing that the service or a key's owner did not make is taken for theirs, and nothing of it ends the process.
@Suite struct TokenFuzzTests {
    private static let secret = ServiceSecret(bytes: Array(repeating: 7, count: 32))

    @Test func `No token opens but as it was sealed`() async {
        let words = ["AQ", "==", "=", "+", "-", "/", "_", "AAAA", "\0", "%3D", "é", " "]
        await Fuzz("tokens", count: 4_000).run { seed, random in
            let payload = (0..<random.int(0...40)).map { _ in UInt8(random.int(0...255)) }
            let (zone, other) = (Int64(random.int(1...9)), Int64(random.int(1...9)))
            let owner = Array("zone:\(zone)".utf8)
            let token = SealedToken.seal(
                payload, for: owner, in: random.oneIn(2) ? .json : .address, secret: Self.secret)
            let changed = random.mutated(token, with: words)
            let asked = Array("zone:\(other)".utf8)
            let opened = SealedToken.open(changed, for: asked, secret: Self.secret)
            if opened != nil {
                #expect(opened == payload && zone == other, "STRATUS_SEED=\(seed)")
                #expect(Base64.decode(changed) == Base64.decode(token), "STRATUS_SEED=\(seed)")
            }
            // What is inside a good seal may be anything: tokens of other versions come with it.
            _ = try? SyncToken.place(token, for: .zone(zone), secret: Self.secret)
            _ = try? ContinuationMarker.read(
                token, for: owner, keyCount: random.int(0...3), secret: Self.secret)
            let target = RequestTarget(
                random.mutated(
                    "/database/1/iCloud.test/development/private/records/query?ckAPIToken=\(token)&ckWebAuthToken=\(changed)",
                    with: words + ["&", "?", "ckWebAuthToken=", "%", "%zz", "/", "..", "tokens", "device"]))
            _ = target.credentials
            _ = try? target.call()
            return opened != nil
        }
    }

    private static let signatureWords = [
        "=", "MEUCIQ", "AAAA", "0", "Z", "T", "-", ":", ".5", "9999", "/database/1", "?", "ckAPIToken=",
        "\u{301}",
    ]

    @Test func `No signature is good for another request, date or key`() async throws {
        let (own, stranger) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let keyID = SHA256.hash(data: own.publicKey.derRepresentation).map { String(format: "%02x", $0) }
            .joined()
        let date = "2026-01-31T23:59:59Z"
        let target = "/database/1/iCloud.test/development/public/records/query?ckAPIToken=abc"
        let body = Array("{\"query\":{\"recordType\":\"Note\"}}".utf8)
        let digest = Base64.encode(Array(SHA256.hash(data: body)))
        let signed = try (0..<16).map { _ in try own.signature(for: Data("\(date):\(digest):\(target)".utf8))
        }
        try await Fuzz("signatures", count: 4_000).run { seed, random in
            let signature = random.pick(signed, else: signed[0])
            var request = try #require(
                RequestSignature(
                    keyID: keyID, date: date, signature: Base64.encode(Array(signature.derRepresentation)),
                    target: target))
            var sent = body
            switch random.int(0...4) {
            case 0: request.keyID = random.mutated(keyID, with: Self.signatureWords)
            case 1: request.date = random.mutated(date, with: Self.signatureWords)
            case 2: request.signature = random.mutated(request.signature ?? "", with: Self.signatureWords)
            case 3: request.target = random.mutated(target, with: Self.signatureWords)
            default:
                sent = Array(
                    random.mutated(String(decoding: body, as: UTF8.self), with: Self.signatureWords).utf8)
            }
            guard let head = try? SignatureHead(request) else { return false }
            #expect(!head.isValid(for: stranger.publicKey, body: sent), "STRATUS_SEED=\(seed)")
            guard head.isValid(for: own.publicKey, body: sent) else { return false }
            #expect(request.date == date && request.target == target && sent == body, "STRATUS_SEED=\(seed)")
            #expect(
                head.signature.rawRepresentation == signature.rawRepresentation, "STRATUS_SEED=\(seed)")
            return true
        }
    }
}
