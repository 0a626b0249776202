import RecordModel
import RecordWire

/// The id of a live query's events: a position in the change log, and what the query and the rights of its caller are
/// known by.
///
/// Whoever goes on with another query, or with other rights, lacks more than what changed since, and starts again.
struct LiveCursor: Equatable {
    let position: Int64
    let query: String

    init(position: Int64, query: String) {
        self.position = position
        self.query = query
    }

    /// Reads an id; nil for a text that is none.
    init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let position = Int64(parts[0]), position >= 0 else { return nil }
        self.init(position: position, query: String(parts[1]))
    }

    var text: String { "\(position)-\(query)" }
}

extension QueryPlan {
    /// What the plan is known by: the query, and the condition that the caller's rights make of it.
    var fingerprint: String {
        let whole = "\(String(decoding: identity, as: UTF8.self)) \(condition) \(sort)"
        return Array(AccessToken.digest(whole).prefix(8)).hex
    }
}
