import RecordModel
public import RecordStorage

/// Takes people and users out of the service: at once for everybody who reads, and in slices after that on the disk.
///
/// One write forgets accounts, users, sessions, tokens, keys and subscriptions, and notes for each user that the records
/// are to go (`ErasureRow`). From then on nobody is let in as the user. ``run(_:in:now:)`` does the rest.
public enum Erasures {
    /// What public records say in the place of a creator who is gone: the name of nobody.
    public static let nobody = "_" + String(repeating: "0", count: 32)

    /// How long after a removal its note stays at least, in milliseconds: another node may take a token for good for some
    /// seconds more, and what it stores meanwhile goes too.
    public static let graceMilliseconds: Int64 = 60_000

    /// What a pass over a user's records has done.
    public struct Report: Sendable, Equatable {
        /// Records that are gone.
        public var removed = 0
        /// Records that do not name the user any more.
        public var unnamed = 0
        /// Records that still do, since they cannot be stored again.
        public var refused = 0

        /// Nothing yet.
        public init() {}

        static func += (sum: inout Report, other: Report) {
            sum.removed += other.removed
            sum.unnamed += other.unnamed
            sum.refused += other.refused
        }
    }

    /// Removes an account with its users in all containers.
    ///
    /// - Parameters:
    ///   - account: whose.
    ///   - publicRecords: what becomes of them; nil for what each container's operator said.
    ///   - now: the time in milliseconds.
    static func remove(
        _ account: AccountRow, publicRecords: ErasureRow.PublicRecords? = nil, now: Int64,
        _ store: any StoreWriter
    ) throws {
        for user in try store.users(ofAccount: account.id) {
            try remove(user, publicRecords: publicRecords, now: now, store)
        }
        try store.deleteAccountLinks(to: account.address, of: account.id)
        try store.deleteAccount(account.id)
    }

    /// Removes a user with all that lets somebody in as the user.
    static func remove(
        _ user: UserRow, publicRecords: ErasureRow.PublicRecords? = nil, now: Int64, _ store: any StoreWriter
    ) throws {
        let (tenant, name) = (user.tenant, user.recordName)
        for token in try store.identifiedTokens(of: tenant) where token.row.user == name {
            try store.deleteToken(digest: token.digest)
        }
        for owner in [nil, name] {
            guard let database = try store.database(DatabaseID(tenant: tenant, owner: owner)) else {
                continue
            }
            for subscriber in [name, SubscriptionRow.subscriber(inSharedDatabaseOf: name)] {
                for row in try store.subscriptions(of: subscriber, in: database) {
                    try store.deleteSubscription(named: row.name, of: subscriber, in: database)
                }
            }
        }
        for receiver in try store.receivers(of: name, in: tenant) {
            try store.deleteReceiver(digest: receiver.digest)
        }
        try store.deleteUser(named: name, of: tenant)
        let rule = try publicRecords ?? SignInPolicies.policy(of: tenant, in: store).publicRecords
        try store.store(ErasureRow(tenant: tenant, user: name, publicRecords: rule, createdAt: now))
    }

    /// The users whose records are to go, those first that were removed first.
    ///
    /// - Throws: `StorageError` where the store cannot be read; `CancellationError`.
    public static func waiting(in store: any RecordStore) async throws -> [ErasureRow] {
        try await store.read(.short) { try $0.erasures(limit: mostAtOnce) }
    }

    private static let mostAtOnce = 1_000

    /// Removes what is left of a user's records, and forgets the note once it is ``graceMilliseconds`` old.
    ///
    /// Each write takes a slice. Where it was interrupted, by whatever, the next pass goes on: what is done is not found
    /// again.
    ///
    /// - Throws: `StorageError` where the store cannot be read or written; `CancellationError` between two slices.
    public static func run(
        _ row: ErasureRow, in store: any RecordStore, now: @Sendable () -> Int64
    ) async throws -> Report {
        let beganAt = now()
        let report = try await UserErasure(store: store, row: row).run()
        if beganAt - row.createdAt >= graceMilliseconds {
            try await store.write { try $0.deleteErasure(ofUserNamed: row.user, in: row.tenant) }
        }
        return report
    }
}

extension StoreJob {
    /// Removing the records of users who are gone.
    public static let erasure = StoreJob(name: "user erasure", intervalSeconds: 0)
}
