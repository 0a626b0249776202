import Crypto
import Foundation
import RecordModel
import RecordStorage
import RecordWire

/// The service's secret, with which it knows its own markers and tokens again, on every node and after a
/// restart.
public struct ServiceSecret: Sendable {
    /// A code that has taken in the key already: copying it is cheaper than making it.
    let code: HMAC<SHA256>

    /// Takes at least 32 random bytes.
    public init(bytes: [UInt8]) {
        code = HMAC<SHA256>(key: SymmetricKey(data: bytes))
    }
}

/// A position that a client keeps for the service: bytes, and a code that only the service can make.
///
/// The code covers what the position belongs to as well, so that a marker of one query is refused by another.
enum SealedToken {
    /// What a payload is: the first byte of a token.
    enum Version: UInt8 {
        case plain = 1
        /// A cursor, in the words of the engine that made it.
        case cursor = 2
    }

    private static let codeLength = 16

    /// Where a token travels, which decides the letters it is written with.
    enum Carrier {
        /// A member of a body: standard base64 with padding, as the original's tokens are. Clients decode them,
        /// some of them strictly: Apple's Swift clients with `Data(base64Encoded:)`, which knows no other form.
        case json
        /// A part of an address: letters that need no escaping there, without padding.
        case address
    }

    /// Seals bytes for what they belong to.
    static func seal(
        _ payload: [UInt8], for owner: [UInt8], in carrier: Carrier = .json, as version: Version = .plain,
        secret: ServiceSecret
    ) -> String {
        var bytes = [version.rawValue]
        bytes += payload
        bytes += code(bytes, owner, secret)
        switch carrier {
        case .json: return Base64.encode(bytes)
        case .address: return Base64.encodeURL(bytes)
        }
    }

    /// The bytes of a token that this service sealed for the given owner, in either form; nil for any other text.
    ///
    /// Version 0.1 wrote all tokens in the form for addresses, and clients keep sync tokens for years.
    static func open(
        _ token: String, for owner: [UInt8], as version: Version = .plain, secret: ServiceSecret
    ) -> [UInt8]? {
        guard token.utf8.count <= Limits.tokenBytes, let bytes = Base64.decode(token),
            bytes.first == version.rawValue, bytes.count > codeLength
        else { return nil }
        let payload = bytes.dropLast(codeLength)
        // Compared in constant time, so that a code cannot be guessed byte by byte.
        var difference: UInt8 = 0
        for (left, right) in zip(code(Array(payload), owner, secret), bytes.suffix(codeLength)) {
            difference |= left ^ right
        }
        return difference == 0 ? Array(payload.dropFirst()) : nil
    }

    private static func code(_ payload: [UInt8], _ owner: [UInt8], _ secret: ServiceSecret) -> [UInt8] {
        var mac = secret.code
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + payload.count + owner.count)
        // The length keeps payload and owner apart.
        withUnsafeBytes(of: UInt32(payload.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes += payload
        bytes += owner
        bytes.withUnsafeBytes { mac.update(data: $0) }
        return Array(mac.finalize().prefix(codeLength))
    }
}

/// Writes and reads the few kinds of value that tokens hold.
struct TokenBytes {
    private(set) var bytes: [UInt8] = []
    private var position = 0

    init() {}

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func write(_ value: Int64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ value: StorageValue) {
        switch value {
        case .null: bytes.append(0)
        case .int(let value):
            bytes.append(1)
            write(value)
        case .double(let value):
            bytes.append(2)
            write(Int64(bitPattern: value.bitPattern))
        case .text(let text):
            bytes.append(3)
            write(Int64(text.utf8.count))
            bytes += text.utf8
        }
    }

    mutating func readInt() -> Int64? {
        guard position + 8 <= bytes.count else { return nil }
        defer { position += 8 }
        return (0..<8).reduce(0) { $0 | Int64(bytes[position + $1]) << Int64(8 * $1) }
    }

    mutating func readValue() -> StorageValue? {
        guard position < bytes.count else { return nil }
        position += 1
        switch bytes[position - 1] {
        case 0: return .null
        case 1: return readInt().map { .int($0) }
        case 2: return readInt().map { .double(Double(bitPattern: UInt64(bitPattern: $0))) }
        case 3:
            guard let count = readInt(), count >= 0, count <= bytes.count - position else { return nil }
            defer { position += Int(count) }
            return .text(String(decoding: bytes[position..<position + Int(count)], as: UTF8.self))
        default: return nil
        }
    }

    var isAtEnd: Bool { position == bytes.count }
}

/// The positions of change feeds: a sequence number of one zone, or of the zones of one database.
enum SyncToken {
    /// What a token follows.
    enum Feed {
        case zone(Int64)
        case database(Int64)

        fileprivate var owner: [UInt8] {
            switch self {
            case .zone(let id): Array("zone:\(id)".utf8)
            case .database(let id): Array("database:\(id)".utf8)
            }
        }
    }

    /// - Parameter quietUntil: for the pages of a first fetch, the number up to which deletions are of no
    ///   interest, since the client never saw what they deleted.
    static func make(
        _ sequence: Int64, quietUntil: Int64 = 0, for feed: Feed, secret: ServiceSecret
    ) -> String {
        var bytes = TokenBytes()
        bytes.write(sequence)
        if quietUntil > sequence { bytes.write(quietUntil) }
        return SealedToken.seal(bytes.bytes, for: feed.owner, secret: secret)
    }

    static func read(_ token: String?, for feed: Feed, secret: ServiceSecret) throws(ServiceError) -> Int64 {
        try place(token, for: feed, secret: secret).sequence
    }

    static func place(
        _ token: String?, for feed: Feed, secret: ServiceSecret
    ) throws(ServiceError) -> (sequence: Int64, quietUntil: Int64) {
        // Some clients send an empty text for 'from the beginning'.
        guard let token, !token.isEmpty else { return (0, 0) }
        guard let payload = SealedToken.open(token, for: feed.owner, secret: secret) else { throw unknown }
        var bytes = TokenBytes(payload)
        let sequence = bytes.readInt()
        let quietUntil = bytes.isAtEnd ? 0 : bytes.readInt()
        guard let sequence, let quietUntil, bytes.isAtEnd else { throw unknown }
        return (sequence, quietUntil)
    }

    /// A token that says nothing here, or one from before what the feed still knows (`Limits/deletionSeconds`).
    ///
    /// The words are the original's, as clients quote them; CloudKit's own clients know them as `changeTokenExpired`.
    static var unknown: ServiceError {
        ServiceError(
            .badRequest, "Unknown sync continuation type",
            remedy: "Drop what was fetched and start again without a token.")
    }
}
