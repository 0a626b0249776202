/// A mail address in the form in which accounts have it.
public struct MailAddress: Hashable, Sendable, CustomStringConvertible {
    /// Small letters, without spaces around it.
    public let text: String

    /// The longest address that mail servers take, in bytes (RFC 5321, 4.5.3.1.3, without the brackets).
    static let longest = 254

    /// Reads an address; nil for what is none.
    ///
    /// Plain addresses only, without quotes and comments, in ASCII: what goes into the header of a mail must not end a
    /// line or name a second receiver.
    public init?(_ text: String) {
        let trimmed = text.trimming { $0.isWhitespace }.lowercased()
        let parts = trimmed.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard trimmed.utf8.count <= Self.longest, parts.count == 2, parts[0].count <= 64,
            Self.isLocal(Array(parts[0])), Self.isDomain(Array(parts[1]))
        else { return nil }
        self.text = trimmed
    }

    /// An address that nobody can have (RFC 2606, 2), for accounts of people who have told none.
    init(unreachable local: String) { text = "\(local)@\(Self.nowhere)" }

    private static let nowhere = "no-address.invalid"

    /// Whether mails can go to it.
    public var isReachable: Bool { domain != Self.nowhere }

    public var description: String { text }

    /// What is after the `@`.
    public var domain: String { text.split(separator: "@").last.map(String.init) ?? "" }

    /// What is before the `@`.
    public var local: String { text.split(separator: "@").first.map(String.init) ?? "" }

    /// The atoms of RFC 5322 with dots between them.
    private static func isLocal(_ bytes: [UInt8]) -> Bool {
        let others = Array("!#$%&'*+-/=?^_`{|}~".utf8)
        return bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
            atom in
            !atom.isEmpty && atom.allSatisfy { isLetterOrDigit($0) || others.contains($0) }
        }
    }

    static func isDomain(_ bytes: [UInt8]) -> Bool {
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-")
                && label.last != UInt8(ascii: "-")
                && label.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}

extension String {
    /// The text without the characters at both ends that satisfy a condition.
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> String {
        var rest = self[...]
        while let first = rest.first, isTrimmed(first) { rest.removeFirst() }
        while let last = rest.last, isTrimmed(last) { rest.removeLast() }
        return String(rest)
    }
}
