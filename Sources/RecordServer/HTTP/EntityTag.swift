/// The name of one version of what an address answers, by which clients ask whether theirs is still the one
/// (RFC 9110 sections 8.8.3 and 13.1).
public struct EntityTag: Hashable, Sendable {
    /// As it stands in headers, with its quotes.
    public let text: String

    /// Takes the name without quotes; it has letters, digits, `-` and `_` only.
    init(_ name: String) { text = "\"\(name)\"" }

    /// The tag of some bytes: the same for the same.
    public init(content: [UInt8]) {
        // FNV-1a: it tells two versions of a file apart, and guards nothing.
        let digest = content.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        self.init(String(digest, radix: 36))
    }

    /// Whether an `If-None-Match` header names this version, so that 304 is the answer.
    ///
    /// The comparison is the weak one: a proxy that compresses marks tags as weak.
    public func isKnown(_ ifNoneMatch: String?) -> Bool {
        guard let ifNoneMatch else { return false }
        return ifNoneMatch.split(separator: ",").contains { item in
            var item = item.drop { $0 == " " || $0 == "\t" }
            while item.last == " " || item.last == "\t" { item.removeLast() }
            return item == "*" || (item.hasPrefix("W/") ? item.dropFirst(2) : item) == text
        }
    }

    /// Whether an `If-Range` header allows the parts that are asked for; without one they are allowed.
    ///
    /// The comparison is the strong one, and a date is no tag: parts of two versions must not be put together.
    func allowsRange(_ ifRange: String?) -> Bool { ifRange == nil || ifRange == text }
}
