public import RecordModel

/// Who is told of changes, and how.
extension Catalogue {
    package static let subscriptions = StoreTable<SubscriptionRow>(
        "subscription", key: 3,
        [
            .init("database", \.database), .init("user", \.user), .init("name", \.name),
            .init("type", \.type), .init("zone", \.zone), .init("since", \.since),
            .init("ended_at", \.endedAt), .init("definition", \.definition),
        ], indexes: [["type", "database"]],
        blank: SubscriptionRow(database: 0, user: "", name: "", type: 0, zone: 0, since: 0, definition: []))

    package static let receivers = StoreTable<ReceiverRow>(
        "receiver", key: 1,
        [
            .init("digest", \.digest), .init("tenant", \.tenant), .init("user", \.user),
            .init("push_environment", \.pushEnvironment), .init("client", \.client),
            .init("cursor", \.cursor), .init("created_at", \.createdAt), .init("seen_at", \.seenAt),
            .init("channel", \.channel), .init("definition", \.definition), .init("state", \.state),
            .init("session", \.origin), .init("first_cursor", \.firstCursor),
            .init("registered_at", \.registeredAt), .init("ended_at", \.endedAt),
            .init("end_reason", \.endReason),
        ], indexes: [["tenant", "user"], ["session"]]
    ) {
        ReceiverRow(
            digest: [], tenant: $0, user: "", pushEnvironment: "", client: "", cursor: 0, createdAt: 0,
            seenAt: 0)
    }

    package static let webhooks = StoreTable<WebhookRow>(
        "webhook", key: 1,
        [
            .init("id", \.id), .init("tenant", \.tenant), .init("database", \.database),
            .init("definition", \.definition), .init("state", \.state), .init("cursor", \.cursor),
            .init("holder", \.holder), .init("send_again_at", \.sendAgainAt),
            .init("created_at", \.createdAt),
        ]
    ) { WebhookRow(id: "", tenant: $0, database: 0, definition: [], cursor: 0, createdAt: 0) }

    package static let pushKeys = StoreTable<PushKeyRow>(
        "push_key", key: 1, [.init("tenant", \.tenant), .init("definition", \.definition)]
    ) { PushKeyRow(tenant: $0, definition: []) }
}

/// A tenant's key for Apple's push service.
package struct PushKeyRow: Hashable, Sendable {
    package var tenant: Tenant
    package var definition: [UInt8]

    package init(tenant: Tenant, definition: [UInt8]) {
        self.tenant = tenant
        self.definition = definition
    }
}

extension StoreReader {
    /// A user's subscriptions in a database, by name.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func subscriptions(of user: String, in database: Int64) throws -> [SubscriptionRow] {
        try rows(
            of: Catalogue.subscriptions,
            TableQuery(
                [TableCondition("database", .equal, database), TableCondition("user", .equal, user)],
                order: ["name"]))
    }

    /// The subscription of a name.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func subscription(named name: String, of user: String, in database: Int64) throws
        -> SubscriptionRow?
    {
        try row(
            of: Catalogue.subscriptions, where: TableCondition("database", .equal, database),
            TableCondition("user", .equal, user), TableCondition("name", .equal, name))
    }

    /// The subscriptions of all users and webhooks of a tenant, after a position, by database, user and name.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func subscriptions(of tenant: Tenant, after place: SubscriptionPlace, limit: Int) throws
        -> [SubscriptionRow]
    {
        try rows(
            of: Catalogue.subscriptions,
            TableQuery(
                [.inDatabases("database", of: tenant)], order: ["database", "user", "name"],
                after: [place.database, place.user, place.name], limit: limit))
    }

    /// The receiver of the given digest.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func receiver(digest: [UInt8]) throws -> ReceiverRow? {
        try row(of: Catalogue.receivers, where: TableCondition("digest", .equal, digest))
    }

    /// A user's receivers, including those that ended, the one that has been silent longest first.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func receivers(of user: String, in tenant: Tenant) throws -> [ReceiverRow] {
        try rows(
            of: Catalogue.receivers,
            TableQuery(
                [TableCondition("tenant", .equal, tenant), TableCondition("user", .equal, user)],
                order: ["seen_at", "created_at", "digest"]))
    }

    /// The receivers of a tenant after a digest, in the order of digests.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func receivers(of tenant: Tenant, after digest: [UInt8], limit: Int) throws -> [ReceiverRow] {
        try rows(
            of: Catalogue.receivers,
            TableQuery(
                [TableCondition("tenant", .equal, tenant)], order: ["digest"], after: [digest], limit: limit))
    }

    /// The receivers of all tenants that are reached by pushes and have not ended, after a digest, in the order of digests.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func pushReceivers(after digest: [UInt8], limit: Int) throws -> [ReceiverRow] {
        try rows(
            of: Catalogue.receivers,
            TableQuery(Self.reachedByPushes, order: ["digest"], after: [digest], limit: limit))
    }

    /// How many receivers are reached by pushes and have not ended.
    ///
    /// - Throws: ``StorageError`` where they cannot be counted.
    public func pushReceiverCount() throws -> Int {
        Int(try total(of: nil, in: Catalogue.receivers.shape, where: Self.reachedByPushes))
    }

    /// A number that changes whenever such a receiver is registered, registered again or ended.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func pushReceiverVersion() throws -> Int64 {
        let times = try total(of: "registered_at", in: Catalogue.receivers.shape, where: Self.reachedByPushes)
        return times &+ Int64(try pushReceiverCount())
    }

    private static var reachedByPushes: [TableCondition] {
        [
            TableCondition("channel", .notEqual, ReceiverRow.Channel.courier, isFixed: true),
            .isNull("ended_at"),
        ]
    }

    /// The key of a tenant for Apple's push service, as JSON; nil where there is none.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func pushKey(of tenant: Tenant) throws -> [UInt8]? {
        try row(of: Catalogue.pushKeys, where: TableCondition("tenant", .equal, tenant))?.definition
    }

    /// All webhooks of all tenants, the oldest first; there are few.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func webhooks() throws -> [WebhookRow] {
        try rows(of: Catalogue.webhooks, TableQuery(order: ["created_at", "id"]))
    }

    /// The webhook of an id.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func webhook(_ id: String) throws -> WebhookRow? {
        try row(of: Catalogue.webhooks, where: TableCondition("id", .equal, id))
    }
}

extension StoreWriter {
    /// Stores a subscription, in the place of the one with its name.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func store(_ subscription: SubscriptionRow) throws {
        try put(subscription, into: Catalogue.subscriptions)
        try announce(.subscriptions(ofUser: subscription.user))
    }

    /// Forgets a subscription.
    ///
    /// - Throws: ``StorageError`` where it cannot be forgotten.
    public func deleteSubscription(named name: String, of user: String, in database: Int64) throws {
        try remove(
            from: Catalogue.subscriptions, where: TableCondition("database", .equal, database),
            TableCondition("user", .equal, user), TableCondition("name", .equal, name))
        try announce(.subscriptions(ofUser: user))
    }

    /// Stores a receiver, in the place of the one with its digest.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func store(_ receiver: ReceiverRow) throws { try put(receiver, into: Catalogue.receivers) }

    /// Forgets a receiver.
    ///
    /// - Throws: ``StorageError`` where it cannot be forgotten.
    public func deleteReceiver(digest: [UInt8]) throws {
        try remove(from: Catalogue.receivers, where: TableCondition("digest", .equal, digest))
    }

    /// Forgets the receivers that ask by themselves and have not since before a time, and those that ended before another
    /// one; both in milliseconds.
    ///
    /// - Throws: ``StorageError`` where they cannot be forgotten.
    public func deleteReceivers(unseenSince time: Int64, endedBefore end: Int64) throws {
        try remove(
            from: Catalogue.receivers, where: TableCondition("channel", .equal, ReceiverRow.Channel.courier),
            TableCondition("seen_at", .less, time))
        try remove(from: Catalogue.receivers, where: TableCondition("ended_at", .less, end))
    }

    /// Stores a tenant's key for Apple's push service, in the place of the former one; nil forgets it.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func store(pushKey: [UInt8]?, of tenant: Tenant) throws {
        if let pushKey {
            try put(PushKeyRow(tenant: tenant, definition: pushKey), into: Catalogue.pushKeys)
        } else {
            try remove(from: Catalogue.pushKeys, where: TableCondition("tenant", .equal, tenant))
        }
    }

    /// Stores a webhook, in the place of the one with its id.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func store(_ webhook: WebhookRow) throws { try put(webhook, into: Catalogue.webhooks) }

    /// Forgets a webhook. Its subscriptions are for others to delete.
    ///
    /// - Throws: ``StorageError`` where it cannot be forgotten.
    public func deleteWebhook(_ id: String) throws {
        try remove(from: Catalogue.webhooks, where: TableCondition("id", .equal, id))
    }
}
