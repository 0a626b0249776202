public import RecordModel
public import RecordStorage

/// Why an account is not given out or deleted yet, or a session of it not ended.
public enum DepartureRefusal: Error, Sendable {
    /// The account has no password, and its owner signed in too long ago to count as being there.
    case signInAgain
    /// The code of the second step is wrong, or missing.
    case wrongCode
}

/// Leaving: somebody shows that the account is theirs, takes what is theirs along, and deletes it.
extension Accounts {
    /// How long after signing in somebody counts as being there who has no password to show, in milliseconds.
    public static let presenceMilliseconds: Int64 = 10 * 60_000

    /// What becomes of somebody's records in a container.
    public struct Holding: Sendable {
        /// The container.
        public var tenant: Tenant
        /// What its sign-in page calls the app.
        public var title: String
        /// What becomes of public records when the account is deleted.
        public var publicRecords: ErasureRow.PublicRecords
    }

    /// The containers that know an account, by name.
    ///
    /// - Throws: `StorageError` where the store cannot be read; `CancellationError`.
    public func holdings(of account: AccountRow) async throws -> [Holding] {
        try await store.read(.short) { store in
            try store.users(ofAccount: account.id).map { user in
                let policy = try SignInPolicies.policy(of: user.tenant, in: store)
                return Holding(
                    tenant: user.tenant,
                    title: policy.title.isEmpty ? user.tenant.container.rawValue : policy.title,
                    publicRecords: policy.publicRecords)
            }
        }
    }

    /// Checks whether who asks is the owner: by the password, or where there is none by a sign-in of a moment ago.
    ///
    /// - Throws: `AUTHENTICATION_FAILED`, `THROTTLED`; ``DepartureRefusal/signInAgain``.
    public func proveOwner(of session: PageSession, password: String, client: Client) async throws {
        if try await ways(into: session.account).hasPassword {
            return try await prove(password, of: session.account, client: client)
        }
        guard environment.now() - session.beganAt < Self.presenceMilliseconds else {
            throw DepartureRefusal.signInAgain
        }
    }

    /// Ends another session of an account, or all others of a container, for whoever shows again that the account is theirs.
    ///
    /// - Parameters:
    ///   - id: the session; nil for all but the one that asks.
    ///   - session: who asks; it stays.
    ///   - password: the account's; not looked at where it has none.
    ///   - tenant: of which container.
    ///   - client: who asks.
    /// - Throws: `AUTHENTICATION_FAILED`, `THROTTLED`; ``DepartureRefusal/signInAgain``; `StorageError`.
    public func endOther(
        _ id: String?, by session: PageSession, password: String, in tenant: Tenant, client: Client
    ) async throws {
        try await proveOwner(of: session, password: password, client: client)
        try await endSession(id, of: session.account, in: tenant, but: session.id)
    }

    /// Notes in the audit log that somebody takes along what is theirs.
    ///
    /// - Throws: `StorageError` where the store cannot be written.
    public func noteArchive(of account: AccountRow, at place: Place) async throws {
        let now = environment.now()
        try await store.write {
            try $0.insert(Self.deed("account.download", account.address, place.tenant, now))
        }
    }

    /// Deletes the account of a session, for its owner. Records go behind it (``Erasures``).
    ///
    /// - Parameters:
    ///   - session: whose account.
    ///   - password: the account's; not looked at where it has none.
    ///   - code: of the second step; not looked at where there is none.
    ///   - place: which page, and in which language the owner is told.
    ///   - client: who asks.
    /// - Throws: `AUTHENTICATION_FAILED`, `THROTTLED`; ``DepartureRefusal``; `StorageError`.
    public func delete(
        _ session: PageSession, password: String, code: String, at place: Place, client: Client
    ) async throws {
        let account = session.account
        try await proveOwner(of: session, password: password, client: client)
        let now = environment.now()
        if try await secondStep(of: account).isOn {
            let isRight = try await tryCode(code, of: account, at: place, client: client) { _ in }
            guard isRight else { throw DepartureRefusal.wrongCode }
        }
        try await store.write { store in
            guard let account = try store.account(account.id) else { return }
            try Erasures.remove(account, now: now, store)
            try store.insert(Self.deed("account.delete", account.address, place.tenant, now))
        }
        sessions.forget()
        if let address = MailAddress(account.address) { await notify(.deleted, address, at: place) }
    }
}
