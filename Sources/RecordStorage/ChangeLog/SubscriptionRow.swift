/// A subscription as it is stored: whose it is, and what narrows the changes down.
public struct SubscriptionRow: Hashable, Sendable {
    /// The number of the database.
    public var database: Int64
    /// The record name of the user who made it.
    public var user: String
    /// `subscriptionID`, unique for the user in the database.
    public var name: String
    /// The number of the type whose records count; ``ChangeWatch/allTypes`` for all.
    public var type: Int64
    /// The number of the zone whose records count; 0 for all.
    public var zone: Int64
    /// The sequence number after which changes count.
    public var since: Int64
    /// The sequence number of the change after which it says nothing any more; nil until then.
    public var endedAt: Int64?
    /// The subscription as it was sent, as JSON.
    public var definition: [UInt8]

    /// Creates a row from its columns.
    public init(
        database: Int64, user: String, name: String, type: Int64, zone: Int64, since: Int64,
        endedAt: Int64? = nil, definition: [UInt8]
    ) {
        self.database = database
        self.user = user
        self.name = name
        self.type = type
        self.zone = zone
        self.since = since
        self.endedAt = endedAt
        self.definition = definition
    }
}

/// Where a list of all subscriptions of a tenant goes on: they are in the order of database, user and name.
public struct SubscriptionPlace: Hashable, Sendable {
    /// The number of the database.
    public var database: Int64
    /// The record name of the user.
    public var user: String
    /// The subscription's name.
    public var name: String

    /// Creates a place.
    public init(database: Int64, user: String, name: String) {
        self.database = database
        self.user = user
        self.name = name
    }

    /// The beginning.
    public static let start = SubscriptionPlace(database: 0, user: "", name: "")
}

extension SubscriptionRow {
    private static let sharedPrefix = "shared:"

    /// In whose name the subscriptions of a user's shared database are stored. The store has no such database: they are with those of
    /// the private one. No user has such a name.
    public static func subscriber(inSharedDatabaseOf user: String) -> String { sharedPrefix + user }

    /// The user whose shared database a row is about; nil for one of another database.
    public var sharedDatabaseUser: String? { Self.user(ofSharedDatabaseOf: user) }

    /// The user of whom ``subscriber(inSharedDatabaseOf:)`` gave a name; nil for another name.
    public static func user(ofSharedDatabaseOf subscriber: String) -> String? {
        subscriber.hasPrefix(sharedPrefix) ? String(subscriber.dropFirst(sharedPrefix.count)) : nil
    }

    /// Where the row stands among all of its tenant.
    public var place: SubscriptionPlace { SubscriptionPlace(database: database, user: user, name: name) }
}
