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
    /// With what it ends; nil where that is not known, of receivers that earlier versions made with an operator's token.
    public var origin: ReceiverOrigin?
    /// The sequence number after which its changes began; 0 where that is not known.
    public var firstCursor: Int64
    /// When it was registered last, in milliseconds; 0 where that is not known.
    public var registeredAt: Int64
    /// When it ended, in milliseconds, and why, in a sentence; nil and empty for one that is reached.
    public var endedAt: Int64?
    public var endReason: String

    /// Creates a row from its columns.
    public init(
        digest: [UInt8], tenant: Tenant, user: String, pushEnvironment: String, client: String,
        cursor: Int64, createdAt: Int64, seenAt: Int64, channel: Channel = .courier,
        definition: [UInt8] = [], state: [UInt8] = [], origin: ReceiverOrigin? = nil, firstCursor: Int64 = 0,
        registeredAt: Int64 = 0, endedAt: Int64? = nil, endReason: String = ""
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
        self.origin = origin
        self.firstCursor = firstCursor
        self.registeredAt = registeredAt
        self.endedAt = endedAt
        self.endReason = endReason
    }
}
