public import RecordModel

/// A place to which a user's notifications go, with a cursor of its own: the web courier's address, for example.
public struct ReceiverRow: Hashable, Sendable {
    /// SHA-256 of the token by which the receiver is known.
    public var digest: [UInt8]
    /// Where the user is known.
    public var tenant: Tenant
    /// The record name of the user.
    public var user: String
    /// The environment of pushes that the client named: `development` or `production`.
    public var pushEnvironment: String
    /// What the client calls itself; empty where it does not say.
    public var client: String
    /// The sequence number of the last change that the receiver is done with.
    public var cursor: Int64
    /// When it was made, and when it last asked, in milliseconds.
    public var createdAt: Int64
    public var seenAt: Int64

    /// Creates a row from its columns.
    public init(
        digest: [UInt8], tenant: Tenant, user: String, pushEnvironment: String, client: String,
        cursor: Int64, createdAt: Int64, seenAt: Int64
    ) {
        self.digest = digest
        self.tenant = tenant
        self.user = user
        self.pushEnvironment = pushEnvironment
        self.client = client
        self.cursor = cursor
        self.createdAt = createdAt
        self.seenAt = seenAt
    }
}
