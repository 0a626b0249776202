import Foundation

/// What the objects of an archive are called.
///
///     STORE/archive/CHAIN/base/START-TIME/stratus.sqlite, stratus.secret, lists/files.txt, manifest.json
///     STORE/archive/CHAIN/log/NUMBER-FIRST-LAST
///     STORE/archive/files/DIGEST
///
/// A chain is an unbroken run of commits. A base is a copy of the database; START is the number of the first part of the log that
/// may not be in it, and TIME the millisecond from which on it can be used. FIRST and LAST are seconds.
struct ArchiveNames: Sendable {
    let store: String

    var root: String { "\(store)/archive/" }
    var files: String { root + "files/" }

    func bases(_ chain: String) -> String { "\(root)\(chain)/base/" }
    func log(_ chain: String) -> String { "\(root)\(chain)/log/" }

    func segment(_ chain: String, _ number: Int, _ segment: LogSegment) -> String {
        let first = segment.groups.first?.second ?? 0
        let last = segment.groups.last?.second ?? 0
        return log(chain) + "\(Self.digits(number))-\(first)-\(last)"
    }

    /// A name for a chain that begins now: later ones come later in order.
    static func chain(at milliseconds: Int64) -> String {
        let time = Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
        return time.filter { !"-:".contains($0) } + "-" + UUID().uuidString.prefix(8).lowercased()
    }

    static func digits(_ number: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, 12 - text.count)) + text
    }

    /// The numbers in the last part of a name; one beyond ``largestNumber`` is none, so such an object is no part of an archive.
    static func numbers(_ name: String) -> [Int64] {
        (name.split(separator: "/").last ?? "").split(separator: "-").compactMap { Int64($0) }
            .filter { (0...largestNumber).contains($0) }
    }

    /// The largest number, second or millisecond that is read: whoever writes to the place may have written it, and sums with it,
    /// and a thousand times it, stay within 64 bits.
    static let largestNumber: Int64 = 1 << 53

    /// Whether a name of a folder is that of a chain.
    static func isChain(_ name: String) -> Bool { name.contains("T") && name.contains("-") }
}

/// A base of an archive.
struct ArchiveBase: Sendable {
    var chain: String
    /// The folder below the place; ends in `/`.
    var folder: String
    /// The number of the first part of the log that may not be in it.
    var start: Int64
    /// From which millisecond on it can be used.
    var time: Int64
}
