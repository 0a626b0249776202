import RecordModel

/// How patient the server is with clients that send and take slowly.
public struct TransferLimits: Sendable {
    /// The longest that a request's body may take in all, files apart.
    public var request: Duration
    /// The longest pause of a client that sends a request or takes an answer.
    public var stall: Duration
    /// The longest that one file may take on its way in.
    public var upload: Duration

    /// The limits that `/limits` publishes.
    public static let published = TransferLimits(
        request: .seconds(Limits.requestReadSeconds), stall: .seconds(Limits.stallSeconds),
        upload: .seconds(Limits.uploadSeconds))

    /// Collects other limits, for a test that does not want to wait.
    public init(request: Duration, stall: Duration, upload: Duration) {
        self.request = request
        self.stall = stall
        self.upload = upload
    }
}
