import RecordModel
public import RecordStorage
import RecordWire
import Synchronization

/// Sign-ins that go on: web auth tokens that follow each other, of which one that was stolen ends all.
///
/// A token that is ``rotationMilliseconds`` old is answered with its successor. It stays good until the successor is first
/// used, and for ``graceMilliseconds`` after that, since requests that are under way have it. Who shows it later is not the
/// one whom the successor was sent to, or the other way round: the session ends.
public final class Sessions: Sendable {
    private let store: any RecordStore
    private let environment: ServiceEnvironment
    private let offered = Mutex<[[UInt8]: (token: String, until: Int64)]>([:])
    private let listeners = Mutex<[@Sendable () -> Void]>([])

    /// How old a token may become before it is replaced.
    public static let rotationMilliseconds: Int64 = 10 * 60_000
    /// How long a token is good after its successor was first used.
    public static let graceMilliseconds: Int64 = 5 * 60_000
    /// How long a replaced token is known as one; later it is unknown.
    static let memoryMilliseconds: Int64 = 24 * 3_600_000
    /// How long the same successor is offered to requests that come together.
    private static let offerMilliseconds: Int64 = 60_000
    private static let mostOffers = 10_000
    /// Who the audit log says it was, where it was no operator.
    static let auditName = "sign-in"

    init(store: any RecordStore, environment: ServiceEnvironment) {
        self.store = store
        self.environment = environment
    }

    /// How long sessions last.
    public enum Duration: Sendable {
        /// For a machine that others use: half an hour without use, twelve hours in all.
        case short
        /// For one's own: two weeks without use, 90 days in all. The times are those of CloudKit's web tokens.
        case long

        var idleMilliseconds: Int64 { self == .short ? 30 * 60_000 : 14 * 24 * 3_600_000 }
        var wholeMilliseconds: Int64 { self == .short ? 12 * 3_600_000 : 90 * 24 * 3_600_000 }

        /// The longest that it can last.
        public var wholeSeconds: Int64 { wholeMilliseconds / 1_000 }
    }

    /// The most sessions of an account; the oldest ends when another one begins.
    static let mostOfAccount = 100

    /// Begins a session.
    ///
    /// - Parameters:
    ///   - kind: `web` for an app, `page` for the cookie of the sign-in page.
    ///   - account: who signs in.
    ///   - user: as whom in the container.
    ///   - duration: how long the session may last.
    ///   - label: what lists call it, the program for example.
    ///   - apiToken: the API token of the app, with which alone the session's tokens are good; nil for the sign-in page.
    /// - Returns: the token, in letters that no address escapes.
    /// - Throws: `AUTHENTICATION_FAILED` for an account or a user that is shut out, or an API token that is gone;
    ///   `StorageError` where the store cannot be written.
    public func begin(
        _ kind: TokenRow.Kind, for account: AccountRow, as user: UserRow, lasting duration: Duration,
        label: String, apiToken: String? = nil
    ) async throws -> String {
        let (token, insert) = beginning(
            kind, for: account, as: user, lasting: duration, label: label, apiToken: apiToken)
        try await store.write { try insert($0) }
        return token
    }

    /// A session that begins with what else is written: its token, and what writes it.
    func beginning(
        _ kind: TokenRow.Kind, for account: AccountRow, as user: UserRow, lasting duration: Duration,
        label: String, id: String? = nil, apiToken: String? = nil
    ) -> (token: String, insert: @Sendable (any StoreWriter) throws -> Void) {
        let now = environment.now()
        let token = Base64.encodeURL(environment.random(32))
        let session = SessionRow(
            id: id ?? environment.random(16).hex, tenant: user.tenant, user: user.recordName,
            account: account.id,
            label: String(label.prefix(200)), createdAt: now, seenAt: now,
            endsAt: now + duration.wholeMilliseconds, idleMilliseconds: duration.idleMilliseconds,
            apiToken: apiToken.map(AccessToken.digest))
        return (
            token,
            { store in
                // The account may have been shut since the password was looked at.
                guard try store.account(account.id)?.isDisabled == false else {
                    throw ServiceError(.authenticationFailed, "The account is disabled.")
                }
                guard try store.user(named: user.recordName, of: user.tenant)?.isDisabled != true else {
                    throw ServiceError(.authenticationFailed, "The user is disabled.")
                }
                // As may the app's API token have been revoked.
                if let apiToken = session.apiToken, try store.token(digest: apiToken) == nil {
                    throw ServiceError(.authenticationFailed, "The app's API token is not valid any more.")
                }
                for old in try store.sessions(of: account.id).dropFirst(Self.mostOfAccount - 1) {
                    try store.deleteSession(old.id)
                }
                try store.store(session)
                try store.insert(
                    TokenRow(
                        kind: kind, tenant: user.tenant, user: user.recordName, label: "", createdAt: now,
                        expiresAt: min(now + session.idleMilliseconds, session.endsAt),
                        succession: TokenSuccession(session: session.id)),
                    digest: AccessToken.digest(token))
            }
        )
    }

    /// Has a closure called whenever sessions end, on any node, so that remembered tokens are forgotten.
    func onEnd(_ listener: @escaping @Sendable () -> Void) { listeners.withLock { $0.append(listener) } }

    /// Forgets what is remembered of tokens: a session has ended.
    public func forget() {
        offered.withLock { $0.removeAll() }
        for listener in listeners.withLock({ $0 }) { listener() }
    }

    /// Ends a session, at once on each node. A process beside a server on SQLite is noticed by it within five seconds.
    ///
    /// - Throws: `StorageError` where the store cannot be written; the session goes on then.
    public func end(_ id: String) async throws {
        try await store.write { try $0.deleteSession(id) }
        forget()
    }

    /// Ends all sessions of an account but one.
    ///
    /// - Throws: `StorageError` where the store cannot be written; the sessions go on then.
    public func endAll(of account: String, but kept: String? = nil) async throws {
        try await store.write { try $0.endSessions(of: account) { $0.id != kept } }
        forget()
    }

    // MARK: Tokens in use

    /// What a token of a session says when it is used.
    enum Use {
        case good
        /// The successor is due.
        case due
        /// It was replaced and is used again: the session was ended.
        case stolen
        /// It was replaced since the answer began that still goes on.
        case replaced
    }

    /// The token that an answer began with is not the session's any more; its client has the next one.
    struct ReplacedToken: Error {}

    /// Notes that a token was used. Costs nothing but for the first use of a successor.
    ///
    /// - Parameter isRenewal: whether it was shown when an answer began that goes on, and is looked at again: nobody has
    ///   used it since.
    func use(
        _ row: TokenRow, digest: @autoclosure () -> [UInt8], isRenewal: Bool, now: Int64
    ) async throws -> Use {
        guard let succession = row.succession else { return .good }
        if let replacedAt = succession.replacedAt, replacedAt + Self.graceMilliseconds < now {
            guard !isRenewal else { return .replaced }
            try await endStolen(succession.session, row, now)
            return .stolen
        }
        if let previous = succession.previous, !isRenewal {
            guard try await confirm(digest(), previous, row, now) else {
                try await endStolen(succession.session, row, now)
                return .stolen
            }
        }
        let isDue =
            row.kind == .web && succession.replacedAt == nil
            && now - row.createdAt >= Self.rotationMilliseconds
        return isDue ? .due : .good
    }

    /// Notes the first use of a successor: from now on the one before it is replaced.
    ///
    /// - Returns: false where that one was replaced by another successor long ago.
    private func confirm(
        _ digest: [UInt8], _ previous: [UInt8], _ row: TokenRow, _ now: Int64
    ) async throws -> Bool {
        try await store.write { store -> Bool in
            if let before = try store.token(digest: previous), let chain = before.succession {
                if let replacedAt = chain.replacedAt {
                    guard replacedAt + Self.graceMilliseconds >= now else { return false }
                } else {
                    try store.setSuccession(
                        TokenSuccession(session: chain.session, previous: chain.previous, replacedAt: now),
                        expiresAt: before.expiresAt, ofToken: previous)
                }
            }
            guard let chain = try store.token(digest: digest)?.succession else { return true }
            try store.setSuccession(
                TokenSuccession(session: chain.session, previous: nil, replacedAt: chain.replacedAt),
                expiresAt: row.expiresAt, ofToken: digest)
            if var session = try store.session(chain.session) {
                session.seenAt = now
                try store.store(session)
            }
            return true
        }
    }

    private func endStolen(_ id: String, _ row: TokenRow, _ now: Int64) async throws {
        try await store.write { store in
            guard let session = try store.session(id) else { return }
            try store.deleteSession(id)
            try store.insert(
                AuditRow(
                    at: now, operatorName: Self.auditName, action: "session.stolen", tenant: row.tenant,
                    subject: "\(session.user) \(session.label)", requestID: ""))
        }
        forget()
    }

    /// The successor of a token that is due, the same for requests that come together; nil where the session has ended.
    func successor(of token: String, now: Int64) async throws -> String? {
        let digest = AccessToken.digest(token)
        if let offer = offered.withLock({ $0[digest] }), offer.until > now { return offer.token }
        let next = Base64.encodeURL(environment.random(32))
        let isMade = try await store.write { store -> Bool in
            guard let row = try store.token(digest: digest), let chain = row.succession,
                chain.replacedAt == nil, let session = try store.session(chain.session)
            else { return false }
            try store.deleteTokens(of: session.id, replacedBefore: now - Self.memoryMilliseconds)
            var successor = row
            successor.createdAt = now
            successor.expiresAt = min(now + session.idleMilliseconds, session.endsAt)
            successor.succession = TokenSuccession(session: session.id, previous: digest)
            try store.insert(successor, digest: AccessToken.digest(next))
            return true
        }
        guard isMade else { return nil }
        offered.withLock { offered in
            if offered.count >= Self.mostOffers { offered.removeAll(keepingCapacity: true) }
            offered[digest] = (next, now + Self.offerMilliseconds)
        }
        return next
    }
}

extension StoreWriter {
    /// Ends sessions of an account with a write; whoever remembers tokens is told after it (``Sessions/forget()``).
    func endSessions(of account: String, where isEnded: (SessionRow) -> Bool = { _ in true }) throws {
        for session in try sessions(of: account) where isEnded(session) { try deleteSession(session.id) }
    }
}
