/// How a server's archive is, of which any moment can be restored. Times are milliseconds since 1970.
public struct ArchiveOverview: Sendable {
    /// Where it is.
    public var location: String
    /// For how long moments are kept, in milliseconds.
    public var keeps: Int64
    /// The first moment that can be restored; nil before there is one.
    public var earliest: Int64?
    /// The last one.
    public var latest: Int64?
    /// The bytes that wait to be sent.
    public var waitingBytes: Int
    /// What is being done beside the log.
    public var activity: String?
    /// Since when it fails, and why.
    public var failure: (at: Int64, reason: String)?

    /// Collects them.
    public init(
        location: String, keeps: Int64, earliest: Int64?, latest: Int64?, waitingBytes: Int,
        activity: String?, failure: (at: Int64, reason: String)?
    ) {
        self.location = location
        self.keeps = keeps
        self.earliest = earliest
        self.latest = latest
        self.waitingBytes = waitingBytes
        self.activity = activity
        self.failure = failure
    }
}
