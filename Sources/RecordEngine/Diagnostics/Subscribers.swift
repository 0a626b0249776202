public import RecordModel
public import RecordStorage
public import RecordWire

/// Subscriptions and receivers as operators see them: page by page, of one user or of all.
public enum Subscribers {
    /// A subscription with what is known of it.
    public struct Subscription: Sendable {
        /// The row.
        public var row: SubscriptionRow
        /// The subscription as it was sent.
        public var definition: SubscriptionDictionary
        /// The name of the user, or the webhook, that it is of.
        public var subscriber: String
        /// Of which of the user's databases it is; in the shared one it fires on what others share with the user.
        public var scope: DatabaseScope
        /// The zone whose records count; nil for all.
        public var zoneName: String?
        /// What its records have to fulfil, in words; nil for all.
        public var condition: String?
        /// Why it fires on nothing any more; nil where it does.
        public var problem: String?

        /// The webhook that it is of; nil for a user's.
        public var webhook: String? { WebhookRow.id(ofSubscriber: row.user) }
    }

    /// A receiver with what is known of it.
    public struct Receiver: Sendable {
        /// The row.
        public var row: ReceiverRow
        /// What became of its notifications.
        public var state: ReceiverState
        /// The name of the user.
        public var user: String
        /// How many of the user's changes come after its cursor: up to ``Subscribers/mostCounted``.
        public var waiting: Int
        /// When the first of them was committed, in milliseconds.
        public var waitingSince: Int64?
        /// Whether changes after its cursor were forgotten: it will be told to start again.
        public var isPastHorizon: Bool

        /// Its name for operators; it lets nobody in.
        public var id: String { Tokens.identifier(of: row.digest) }
    }

    /// The most changes that are counted for a receiver.
    public static let mostCounted = 100

    /// Subscriptions of a tenant after a place; those of a user are all in one page.
    ///
    /// - Parameters:
    ///   - user: the record name of the user, or the subscriber's name of a webhook; nil for all.
    ///   - tenant: the container and environment.
    ///   - place: where the page begins.
    ///   - limit: the most.
    ///   - reader: what reads the store.
    ///   - indexes: which indexes production asks of a schema.
    /// - Throws: `StorageError` where the store cannot be read, `JSONError` where a stored subscription or webhook is
    ///   damaged.
    public static func subscriptions(
        of user: String?, in tenant: Tenant, after place: SubscriptionPlace = .start, limit: Int,
        _ reader: any StoreReader, indexes: IndexRules = .open
    ) throws -> [Subscription] {
        let rows: [SubscriptionRow]
        let publicDatabase = try reader.database(DatabaseID(tenant: tenant, owner: nil))
        if let user {
            let own = try reader.database(DatabaseID(tenant: tenant, owner: user))
            let shared = SubscriptionRow.subscriber(inSharedDatabaseOf: user)
            rows =
                try [publicDatabase, own].compactMap(\.self)
                .flatMap { try reader.subscriptions(of: user, in: $0) }
                + (own.map { try reader.subscriptions(of: shared, in: $0) } ?? [])
        } else {
            rows = try reader.subscriptions(of: tenant, after: place, limit: limit)
        }
        var names = UserNames(tenant: tenant, reader: reader)
        let schema = try reader.schema(of: tenant)
        var zones: [Int64: [Int64: String]] = [:]
        return try rows.map { row in
            let isPrivate = row.database != publicDatabase
            if row.zone != 0, zones[row.database] == nil {
                zones[row.database] = Dictionary(
                    try reader.zones(in: row.database).map { ($0.id, $0.name) },
                    uniquingKeysWith: { first, _ in first })
            }
            let hook = try WebhookRow.id(ofSubscriber: row.user).flatMap { try reader.webhook($0) }
            let context =
                try hook.map { WebhookPlan.context(tenant, owner: try $0.read().owner) }
                ?? UserRights.context(
                    of: row.sharedDatabaseUser ?? row.user, isPrivate: isPrivate, tenant, schema, reader,
                    indexes: indexes)
            let plan = try SubscriptionPlan(row, context, schema: schema)
            return Subscription(
                row: row, definition: plan.definition,
                subscriber: try names.name(of: row.sharedDatabaseUser ?? row.user),
                scope: row.sharedDatabaseUser != nil ? .shared : isPrivate ? .private : .public,
                zoneName: row.zone == 0 ? nil : zones[row.database]?[row.zone] ?? "a deleted zone",
                condition: plan.conditionWords, problem: plan.problem)
        }
    }

    /// Receivers of a tenant after a digest, those that ended lately too; those of a user are all in one page.
    ///
    /// - Throws: `StorageError` where the store cannot be read, `JSONError` where a sealed record in the change log
    ///   is damaged.
    public static func receivers(
        of user: String?, in tenant: Tenant, after digest: [UInt8] = [], limit: Int, _ reader: any StoreReader
    ) throws -> [Receiver] {
        let rows =
            try user.map { try reader.receivers(of: $0, in: tenant) }
            ?? reader.receivers(of: tenant, after: digest, limit: limit)
        var names = UserNames(tenant: tenant, reader: reader)
        let horizon = try reader.forgottenChanges()
        let publicDatabase = try reader.database(DatabaseID(tenant: tenant, owner: nil))
        return try rows.map { row in
            guard row.endedAt == nil else {
                return Receiver(
                    row: row, state: (try? ReceiverState(json: row.state)) ?? ReceiverState(),
                    user: try names.name(of: row.user), waiting: 0, waitingSince: nil, isPastHorizon: false)
            }
            let own = try reader.database(DatabaseID(tenant: tenant, owner: row.user))
            var waiting: [LoggedChange] = []
            for database in [publicDatabase, own].compactMap(\.self) {
                let types = Set(try reader.subscriptions(of: row.user, in: database).map(\.type))
                guard !types.isEmpty else { continue }
                waiting += try changes(after: row.cursor, in: database, reader) {
                    !$0.kind.isForParticipants
                        && ($0.type == 0 || types.contains($0.type) || types.contains(ChangeWatch.allTypes))
                }
            }
            waiting += try sharedChanges(after: row.cursor, of: row.user, own, tenant, reader)
            let first = waiting.min { $0.sequence < $1.sequence }
            return Receiver(
                row: row, state: (try? ReceiverState(json: row.state)) ?? ReceiverState(),
                user: try names.name(of: row.user), waiting: min(waiting.count, mostCounted),
                waitingSince: first.flatMap(\.time), isPastHorizon: row.cursor < horizon)
        }
    }
}

extension Subscribers {
    /// How many changes are read at once, and how often at most for one receiver.
    private static let portion = 500
    private static let mostPortions = 20

    /// The next changes of what others share with a user, where the user subscribed to them.
    private static func sharedChanges(
        after sequence: Int64, of user: String, _ own: Int64?, _ tenant: Tenant, _ reader: any StoreReader
    ) throws -> [LoggedChange] {
        let shared = SubscriptionRow.subscriber(inSharedDatabaseOf: user)
        guard let own, try !reader.subscriptions(of: shared, in: own).isEmpty else { return [] }
        return try SharedAudience.all(of: user, in: tenant, reader).flatMap { database, audience in
            try changes(after: sequence, in: database, reader, where: audience.isTold)
        }
    }

    /// The next changes that are meant, up to ``mostCounted``: others may lie in front of them.
    private static func changes(
        after sequence: Int64, in database: Int64, _ reader: any StoreReader,
        where isMeant: (LoggedChange) -> Bool
    ) throws -> [LoggedChange] {
        var found: [LoggedChange] = []
        var from = sequence
        for _ in 0..<mostPortions where found.count < mostCounted {
            let some = try reader.loggedChanges(after: from, in: database, limit: portion)
            found += some.filter(isMeant)
            guard let last = some.last else { break }
            from = last.sequence
        }
        return found
    }
}

/// Users' names by record name, each read once.
private struct UserNames {
    let tenant: Tenant
    let reader: any StoreReader
    private var known: [String: String] = [:]

    init(tenant: Tenant, reader: any StoreReader) {
        self.tenant = tenant
        self.reader = reader
    }

    mutating func name(of subscriber: String) throws -> String {
        if let name = known[subscriber] { return name }
        let name =
            try WebhookRow.id(ofSubscriber: subscriber)
            ?? reader.user(named: subscriber, of: tenant)?.label ?? subscriber
        known[subscriber] = name
        return name
    }
}

/// The rights of a user as they are stored, for explanations.
enum UserRights {
    static func context(
        of user: String, isPrivate: Bool, _ tenant: Tenant, _ schema: Schema, _ reader: any StoreReader,
        indexes: IndexRules
    ) throws -> CallContext {
        var roles: [String] = []
        if !isPrivate, !schema.roles.isEmpty {
            roles = try reader.user(named: user, of: tenant)?.roles.filter(schema.roles.contains) ?? []
        }
        return CallContext(
            tenant: tenant, database: DatabaseID(tenant: tenant, owner: isPrivate ? user : nil),
            caller: .user(user), roles: roles, now: 0, requestID: "", baseURL: "", indexes: indexes)
    }
}

extension LoggedChange {
    /// When it was committed, in milliseconds, as the record says; nil for what has no record.
    var time: Int64? {
        guard let after else { return nil }
        return try? LoggedRecord(body: after).modified.timestamp
    }
}

extension Subscribers.Subscription {
    /// What it is about, in words.
    public var subject: String {
        let zone = zoneName.map { " in \($0)" } ?? ""
        switch definition.kind {
        case .query:
            let condition = condition.map { " where \($0)" } ?? ""
            let isAll = definition.firesOn.count == SubscriptionDictionary.Trigger.allCases.count
            let what = isAll ? "" : " (\(definition.firesOn.map(\.rawValue).joined(separator: ", ")))"
            return (definition.query?.recordType ?? "?") + zone + condition + what
        case .zone: return (definition.recordType ?? "all types") + zone
        case .database:
            return (definition.recordType ?? "all types")
                + (scope == .shared ? " that others share with the user" : " in all custom zones")
        }
    }
}

extension Subscribers {
    /// Ends a receiver; its device has to register again. One that has ended is forgotten.
    ///
    /// - Throws: `NOT_FOUND`; `StorageError`.
    public static func removeReceiver(
        _ digest: [UInt8], of tenant: Tenant, store: any RecordStore, now: Int64
    ) async throws {
        try await store.write { store in
            guard let row = try store.receiver(digest: digest), row.tenant == tenant else {
                throw ServiceError(.notFound, "There is no such receiver.")
            }
            guard row.endedAt == nil else { return try store.deleteReceiver(digest: digest) }
            try store.end(row, because: "An operator removed it.", at: now)
        }
    }
}

extension RecordService {
    /// Which indexes production asks of a schema.
    public var indexRules: IndexRules { indexes }
}
