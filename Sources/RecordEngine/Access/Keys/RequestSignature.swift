import Crypto
import Foundation
import RecordModel
import RecordWire

/// What a request signed with a server-to-server key carries (Documentation/Protocol.md, 'Server-to-server keys').
public struct RequestSignature: Hashable, Sendable {
    /// `X-Apple-CloudKit-Request-KeyID`.
    public var keyID: String?
    /// `X-Apple-CloudKit-Request-ISO8601Date`.
    public var date: String?
    /// `X-Apple-CloudKit-Request-SignatureV1`.
    public var signature: String?
    /// The target of the request line, byte for byte as it came.
    public var target: String

    /// Collects what was sent; nil where none of the headers was.
    public init?(keyID: String?, date: String?, signature: String?, target: String) {
        guard keyID != nil || date != nil || signature != nil else { return nil }
        self.keyID = keyID
        self.date = date
        self.signature = signature
        self.target = target
    }
}

/// A signature whose headers can be read.
struct SignatureHead: Sendable {
    /// The key's id, which is the digest of its public half.
    let key: [UInt8]
    let dateText: String
    /// In milliseconds.
    let date: Int64
    let signature: P256.Signing.ECDSASignature
    private let target: String

    /// How far a request's date may be from the server's, in milliseconds.
    ///
    /// Apple does not document a figure. Ten minutes is what others bear who check signed requests.
    static let skewMilliseconds: Int64 = 600_000
    /// Longer texts are none of these and are not decoded.
    private static let longestText = 128

    /// - Throws: `AUTHENTICATION_FAILED` for headers that are missing or cannot be read.
    init(_ request: RequestSignature) throws(ServiceError) {
        guard let keyID = request.keyID, let date = request.date, let signature = request.signature else {
            throw Self.failure(
                "A signed request needs three headers.",
                "Send X-Apple-CloudKit-Request-KeyID, …-ISO8601Date and …-SignatureV1.")
        }
        guard keyID.utf8.count == 64, let key = Self.bytes(hexadecimal: keyID) else {
            throw Self.failure(
                "The key's id is not 64 hexadecimal digits.", "'stratus key list' shows the ids of keys.")
        }
        guard date.utf8.count <= 40, let milliseconds = Self.milliseconds(date) else {
            throw Self.failure(
                "The date of the signature cannot be read.", "Send it as 2026-01-31T23:59:59Z, in UTC.")
        }
        guard signature.utf8.count <= Self.longestText, let bytes = Base64.decode(signature),
            let parsed = try? P256.Signing.ECDSASignature(derRepresentation: bytes)
        else {
            throw Self.failure(
                "The signature is not Base64 of an ECDSA signature in DER.",
                "Sign with the P-256 key and SHA-256.")
        }
        self.key = key
        dateText = date
        self.date = milliseconds
        self.signature = parsed
        target = request.target
    }

    /// Whether the key's owner signed the request: the date, the digest of the body and the address, with colons between.
    ///
    /// Clients differ in two things, so each of the four texts is good: the address with or without what follows `?`, and
    /// for a request without a body the digest of nothing or no digest (Documentation/Protocol.md names the clients).
    func isValid(for publicKey: P256.Signing.PublicKey, body: [UInt8]) -> Bool {
        var digests = [Base64.encode(Array(SHA256.hash(data: body)))]
        if body.isEmpty { digests.append("") }
        var paths = [target]
        if let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) { paths.append(String(target[..<mark])) }
        for path in paths {
            for digest in digests {
                let text = Data("\(dateText):\(digest):\(path)".utf8)
                if publicKey.isValidSignature(signature, for: text) { return true }
            }
        }
        return false
    }

    static func failure(_ reason: String, _ remedy: String) -> ServiceError {
        ServiceError(.authenticationFailed, reason, remedy: remedy)
    }

    private static func bytes(hexadecimal text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text.utf8 {
            let digit: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return high == nil ? bytes : nil
    }

    /// A date of the form `2026-01-31T23:59:59Z`, perhaps with a fraction of the second, which does not count.
    static func milliseconds(_ text: String) -> Int64? {
        var rest = Array(text.utf8)[...]
        func number(_ count: Int) -> Int64? {
            guard rest.count >= count else { return nil }
            var value: Int64 = 0
            for _ in 0..<count {
                guard let byte = rest.popFirst(), (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        func take(_ character: Unicode.Scalar) -> Bool { rest.popFirst() == UInt8(ascii: character) }
        guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2),
            take("T"), let hour = number(2), take(":"), let minute = number(2), take(":"),
            let second = number(2), year >= 1970, (1...12).contains(month), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
        }
        guard take("Z"), rest.isEmpty else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...lengths[Int(month) - 1]).contains(day) else { return nil }
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400 - (1969 / 4 - 1969 / 100 + 1969 / 400)
        let days =
            (year - 1970) * 365 + leapDays + lengths.prefix(Int(month) - 1).reduce(0, +) + day - 1
        return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1_000
    }
}
