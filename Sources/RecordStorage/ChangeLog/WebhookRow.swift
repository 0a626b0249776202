public import RecordModel

/// A webhook as it is stored: whose it is, what it wants, and how far it has got.
///
/// What narrows the changes down are the subscriptions of ``subscriber``: so one mechanism decides for all channels, and
/// what a hook watches is logged as long as it is there.
public struct WebhookRow: Hashable, Sendable {
    /// The name that the service gave it, unique in the store.
    public var id: String
    /// The container and environment that it belongs to.
    public var tenant: Tenant
    /// The number of the database whose changes it is told.
    public var database: Int64
    /// What the operator said of it, with its secrets, as JSON.
    public var definition: [UInt8]
    /// What became of its deliveries, as JSON; empty for a new one.
    public var state: [UInt8]
    /// The sequence number up to which it is done with all changes, apart from those of zones that `state` holds back.
    public var cursor: Int64
    /// Who delivers: a number that a worker draws, so that one that was replaced stores nothing more.
    public var holder: Int64
    /// When an operator last asked for what is held back to be sent at once, in milliseconds; 0 for never.
    public var sendAgainAt: Int64
    /// When it was made, in milliseconds.
    public var createdAt: Int64

    /// Creates a row from its columns.
    public init(
        id: String, tenant: Tenant, database: Int64, definition: [UInt8], state: [UInt8] = [], cursor: Int64,
        holder: Int64 = 0, sendAgainAt: Int64 = 0, createdAt: Int64
    ) {
        self.id = id
        self.tenant = tenant
        self.database = database
        self.definition = definition
        self.state = state
        self.cursor = cursor
        self.holder = holder
        self.sendAgainAt = sendAgainAt
        self.createdAt = createdAt
    }

    /// In whose name the hook's subscriptions are stored; no user has such a name.
    public var subscriber: String { Self.prefix + id }
    private static let prefix = "webhook:"

    /// The webhook whose ``subscriber`` a name is; nil for a user's.
    public static func id(ofSubscriber name: String) -> String? {
        name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
    }
}
