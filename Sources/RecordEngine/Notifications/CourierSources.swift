import RecordModel
import RecordStorage

/// What a user is told of, as of one moment: the subscriptions, and the rights that decide what they fire on.
struct CourierSources {
    /// The subscriptions of one database.
    struct Source {
        var scope: DatabaseScope
        var subscriptions: SubscriptionIndex
        var visibility: ChangeVisibility
    }

    var byDatabase: [Int64: Source]
    /// The position of the log at which they were read: what is subscribed later counts from a later one.
    let position: Int64
    /// When they were read.
    let readAt: ContinuousClock.Instant
    /// Of the rows and the roles, for ``isSame(as:)``: the rows themselves would be kept as long as a poll waits.
    private let digest: Int

    /// What receivers of the user want of the log.
    var types: [Int64: Set<Int64>] {
        byDatabase.mapValues { $0.scope == .shared ? [ChangeWatch.shares] : $0.subscriptions.types }
    }

    /// Whether the user was told of the same at another moment.
    func isSame(as other: Self) -> Bool { digest == other.digest }

    /// Reads what the user of a receiver is told of.
    ///
    /// - Throws: `StorageError`; what `ReceiverRow.checkIsReached(_:at:)` throws where nobody is behind the receiver any more.
    static func read(of row: ReceiverRow, by service: RecordService) async throws -> Self {
        let readAt = ContinuousClock.now
        let user = Caller.user(row.user)
        let roles = try await service.authenticator.roles(
            of: user, declared: service.store.schema(of: row.tenant).roles, tenant: row.tenant,
            now: service.environment.now())
        return try await service.store.read(.short) { reader in
            try row.checkIsReached(reader, at: service.environment.now())
            // Before the rows: one that is stored in between counts from a later position.
            let position = try reader.lastSequence()
            let schema = try reader.schema(of: row.tenant)
            var hasher = Hasher()
            hasher.combine(roles)
            var sources: [Int64: Source] = [:]
            for scope in [DatabaseScope.private, .public] {
                let id = DatabaseID(tenant: row.tenant, owner: scope == .private ? row.user : nil)
                guard let number = try reader.database(id) else { continue }
                let context = CallContext(
                    tenant: row.tenant, database: id, caller: user, roles: scope == .public ? roles : [],
                    now: 0, requestID: "", baseURL: "", indexes: service.indexes)
                if scope == .private {
                    try addShared(row, number, context, schema, to: &sources, &hasher, reader)
                }
                let rows = try reader.subscriptions(of: row.user, in: number)
                guard !rows.isEmpty else { continue }
                hasher.combine(number)
                hasher.combine(rows)
                sources[number] = Source(
                    scope: scope, subscriptions: SubscriptionIndex(rows, context, schema: schema),
                    visibility: ChangeVisibility(rights: context.rights))
            }
            return Self(
                byDatabase: sources, position: position, readAt: readAt, digest: hasher.finalize())
        }
    }

    /// Adds what the user of a receiver is told of in the databases of others.
    ///
    /// - Parameter number: the number of the user's own private database, with which the subscriptions are.
    private static func addShared(
        _ row: ReceiverRow, _ number: Int64, _ context: CallContext, _ schema: Schema,
        to sources: inout [Int64: Source], _ hasher: inout Hasher, _ reader: any StoreReader
    ) throws {
        let rows = try reader.subscriptions(
            of: SubscriptionRow.subscriber(inSharedDatabaseOf: row.user), in: number)
        guard !rows.isEmpty else { return }
        hasher.combine(rows)
        let audiences = try SharedAudience.all(of: row.user, in: row.tenant, reader)
        hasher.combine(audiences)
        for (database, audience) in audiences {
            sources[database] = Source(
                scope: .shared, subscriptions: SubscriptionIndex(rows, context, schema: schema),
                visibility: ChangeVisibility(rights: context.rights, shared: audience))
        }
    }
}
