/// The number of a live count: counted once, and kept up by what enters and leaves.
struct LiveTally {
    /// How many records fulfil the query, as of the position up to which changes were looked at.
    var count = 0
    /// What the client has; nil for nothing yet.
    var told: Int?

    init(_ cursor: LiveCursor?) {
        told = cursor?.count
    }

    /// Notes what a change means for the count: the record before and after, where it is in the result.
    mutating func note(before: LoggedRecord?, after: LoggedRecord?) {
        count += (after == nil ? 0 : 1) - (before == nil ? 0 : 1)
    }
}
