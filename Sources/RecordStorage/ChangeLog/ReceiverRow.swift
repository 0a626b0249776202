public import RecordModel

/// A place to which a user's notifications go, with a cursor of its own: the web courier's address, for example.
public struct ReceiverRow: Hashable, Sendable {
    /// How notifications reach a receiver.
    public enum Channel: String, Sendable, CaseIterable {
        /// The client asks for them, by long polls.
        case courier
        /// The push service of a browser takes them.
        case webPush
        /// Apple's push service takes them.
        case apns
    }

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
    /// How it is reached.
    public var channel: Channel
    /// Where it is reached, as JSON; empty for a courier.
    public var definition: [UInt8]
    /// What became of its notifications, as JSON; empty for a new one.
    public var state: [UInt8]

    /// Creates a row from its columns.
    public init(
        digest: [UInt8], tenant: Tenant, user: String, pushEnvironment: String, client: String,
        cursor: Int64, createdAt: Int64, seenAt: Int64, channel: Channel = .courier,
        definition: [UInt8] = [], state: [UInt8] = []
    ) {
        self.digest = digest
        self.tenant = tenant
        self.user = user
        self.pushEnvironment = pushEnvironment
        self.client = client
        self.cursor = cursor
        self.createdAt = createdAt
        self.seenAt = seenAt
        self.channel = channel
        self.definition = definition
        self.state = state
    }
}
