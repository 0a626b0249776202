import RecordModel
import RecordWire

/// The id of a live query's events: a position in the change log, and what the query and the rights of its caller are
/// known by; of a live count also the count at that position, so that nothing is counted again to go on.
///
/// Whoever goes on with another query, or with other rights, lacks more than what changed since, and starts again.
struct LiveCursor: Equatable {
    let position: Int64
    let query: String
    let count: Int?

    private static let largestCount = 1 << 53

    init(position: Int64, query: String, count: Int? = nil) {
        self.position = position
        self.query = query
        self.count = count
    }

    /// Reads an id; nil for a text that is none.
    init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, let position = Int64(parts[0]), position >= 0 else { return nil }
        var count: Int?
        if parts.count == 3 {
            // It comes from outside: a number that can be counted on from.
            guard let number = Int(parts[2]), (0...Self.largestCount).contains(number) else { return nil }
            count = number
        }
        self.init(position: position, query: String(parts[1]), count: count)
    }

    var text: String { count.map { "\(position)-\(query)-\($0)" } ?? "\(position)-\(query)" }
}

extension QueryPlan {
    /// What the plan is known by: the query, and the condition that the caller's rights make of it.
    var fingerprint: String {
        let whole = "\(String(decoding: identity, as: UTF8.self)) \(condition) \(sort)"
        return Array(AccessToken.digest(whole).prefix(8)).hex
    }
}
