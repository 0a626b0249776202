import Crypto
import Foundation
import RecordModel
import RecordStorage
import RecordWire

/// Links to what is shared: 25 letters that lead to a record, of which the server keeps the digest and the record the text.
///
/// The first three letters are the same for all links of a server, as CloudKit's name the partition; 128 random bits follow.
enum LinkCode {
    /// How many letters a link has.
    static let length = 25
    private static let routingKey = "0sT"

    /// A new link.
    static func make(random: [UInt8]) -> String {
        assert(random.count == 16)
        return routingKey + Base64.encodeURL(random)
    }

    /// The link of a participant who is nobody in particular yet: the same as long as the participant is in the share.
    static func forOne(_ participant: ParticipantRow, _ secret: ServiceSecret) -> String {
        var code = secret.code
        let owner =
            "one-time link\(participant.zone) \(participant.share.utf8.count) \(participant.share)\(participant.id)"
        code.update(data: Data(owner.utf8))
        return make(random: Array(code.finalize().prefix(16)))
    }

    /// What the store knows a link by.
    static func digest(_ link: String) -> [UInt8] { Array(SHA256.hash(data: Data(link.utf8))) }

    /// The address of a link's page.
    static func address(of link: String, _ baseURL: String) -> String { "\(baseURL)/share/\(link)" }

    /// The link in what a client sent: the bare letters, an address that ends in them, or a text with such an address.
    ///
    ///     LinkCode.find(in: "Join us: https://example.com/share/0sTAAAAAAAAAAAAAAAAAAAAAA#Groceries")
    static func find(in text: String) -> String? {
        guard text.utf8.count <= Limits.shareLinkTextBytes else { return nil }
        for word in text.split(whereSeparator: \.isWhitespace) {
            let address = word.prefix { $0 != "#" && $0 != "?" }
            let last = address.split(separator: "/").last ?? ""
            let isPlain = last.utf8.allSatisfy { byte in
                switch byte {
                case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2D, 0x5F: true
                default: false
                }
            }
            if isPlain, last.utf8.count == length { return String(last) }
        }
        return nil
    }
}

/// What a visitor without an account shows: a pass for what one share opens, to be looked at for a while.
struct SharePass: Hashable, Sendable {
    /// The number of the zone.
    let zone: Int64
    /// The name of the share's record.
    let share: String
    /// The version of the share's record for which it is good: any change of the share ends it.
    let sequence: Int64
    /// When it ends, in milliseconds.
    let endsAt: Int64

    private static let owner = Array("share pass".utf8)

    init(zone: Int64, share: String, sequence: Int64, endsAt: Int64) {
        self.zone = zone
        self.share = share
        self.sequence = sequence
        self.endsAt = endsAt
    }

    /// The pass of a request; nil for none.
    ///
    /// - Throws: `AUTHENTICATION_REQUIRED` without one and for one that is none of the service's or has ended, `ACCESS_DENIED` where
    ///   it is not good for the endpoint.
    init(_ call: ServiceCall, now: Int64, secret: ServiceSecret) throws(ServiceError) {
        guard let text = call.credentials.shareToken else { throw ServiceError.needsUser }
        guard let payload = SealedToken.open(text, for: Self.owner, secret: secret) else { throw Self.ended }
        var bytes = TokenBytes(payload)
        guard let zone = bytes.readInt(), let sequence = bytes.readInt(), let endsAt = bytes.readInt(),
            case .text(let share)? = bytes.readValue(), bytes.isAtEnd, endsAt > now
        else { throw Self.ended }
        switch call.endpoint {
        case .recordsQuery, .recordsCount, .recordsLookup, .changesZone: break
        default:
            throw ServiceError(
                .accessDenied, "Without an account, what is shared can be looked at only.",
                remedy: "Sign in, and accept the share.")
        }
        self.init(zone: zone, share: share, sequence: sequence, endsAt: endsAt)
    }

    /// The pass as a client keeps it.
    func token(_ secret: ServiceSecret) -> String {
        var bytes = TokenBytes()
        bytes.write(zone)
        bytes.write(sequence)
        bytes.write(endsAt)
        bytes.write(StorageValue.text(share))
        return SealedToken.seal(bytes.bytes, for: Self.owner, in: .address, secret: secret)
    }

    private static let ended = ServiceError(
        .authenticationRequired, "The pass for the link has ended.",
        remedy: "Open the link again: 'records/resolve' gives another.")
}
