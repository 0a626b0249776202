public import RecordModel
public import RecordStorage

extension Accounts {
    /// A browser that is signed in at the sign-in page.
    public struct PageSession: Sendable {
        /// Whose it is.
        public var account: AccountRow
        /// The account as a user of the container.
        public var user: UserRow
        /// The session's id.
        public var id: String
        /// How long it was meant to last, and what apps are given.
        public var duration: Sessions.Duration
        /// When it began, in milliseconds.
        public var beganAt: Int64
    }

    /// The session of the page's cookie; nil where it has ended.
    ///
    /// - Throws: `StorageError` where the store cannot be read or written.
    public func pageSession(_ token: String, in tenant: Tenant) async throws -> PageSession? {
        guard token.utf8.count == 43 else { return nil }
        let now = environment.now()
        let digest = AccessToken.digest(token)
        return try await store.read(.short) { store in
            guard let row = try store.token(digest: digest), row.kind == .page, row.tenant == tenant,
                row.expiresAt ?? 0 > now, let id = row.succession?.session,
                let session = try store.session(id), let account = try store.account(session.account),
                !account.isDisabled, let user = try store.user(named: session.user, of: tenant)
            else { return nil }
            return PageSession(
                account: account, user: user, id: id,
                duration: session.idleMilliseconds > Sessions.Duration.short.idleMilliseconds
                    ? .long : .short,
                beganAt: session.createdAt)
        }
    }

    /// What the forms of a browser carry, which no other site's page can know.
    public func formCode(of cookie: String) -> String { code("form", cookie, 16).hex }

    /// Another browser's.
    public func newFormCookie() -> String { environment.random(32).hex }

    /// The app of an API token, with where its users go; nil for a token that is not good here.
    ///
    /// - Throws: `StorageError` where the store cannot be read.
    public func app(of apiToken: String, in tenant: Tenant) async throws -> TokenRow? {
        guard apiToken.utf8.count <= 512 else { return nil }
        let now = environment.now()
        return try await store.read(.short) { store in
            guard let row = try store.token(digest: AccessToken.digest(apiToken)), row.kind == .api,
                row.tenant == tenant, row.expiresAt ?? .max > now
            else { return nil }
            return row
        }
    }

    /// Who may come into a container, and how its page looks.
    ///
    /// - Throws: `StorageError` where the store cannot be read.
    public func policy(of tenant: Tenant) async throws -> SignInPolicyRow {
        try await SignInPolicies.policy(of: tenant, store: store)
    }

    /// The apps of all containers that open links by themselves, in the order of their texts.
    ///
    /// - Throws: `StorageError` where the store cannot be read.
    public func linkedApps() async throws -> [LinkedApp] {
        let policies = try await store.read(.short) { try $0.signInPolicies() }
        return Set(policies.flatMap(\.linkedApps)).sorted().compactMap { LinkedApp($0) }
    }

    /// Where an account is signed in to a container, the newest first.
    ///
    /// - Throws: `StorageError` where the store cannot be read.
    public func sessions(of account: AccountRow, in tenant: Tenant) async throws -> [SessionRow] {
        try await store.read(.short) { store in
            try store.sessions(of: account.id).filter { $0.tenant == tenant }
        }
    }

    /// Ends a session of an account, or all of a container's but one.
    ///
    /// - Parameters:
    ///   - id: the session; nil for all.
    ///   - account: whose.
    ///   - tenant: of which container.
    ///   - kept: the session that stays.
    /// - Throws: `StorageError` where the store cannot be written; the session goes on then.
    public func endSession(
        _ id: String?, of account: AccountRow, in tenant: Tenant, but kept: String? = nil
    ) async throws {
        try await store.write { store in
            try store.endSessions(of: account.id) { session in
                session.tenant == tenant && session.id != kept && (id == nil || session.id == id)
            }
        }
        sessions.forget()
    }

    /// Whether an app's page at an origin may be told who signed in.
    ///
    /// Without a list only pages of the server itself may, and in development those of the developer's own machine.
    public static func admits(_ origin: String, to app: TokenRow, baseURL: String) -> Bool {
        if origin == baseURL || app.origins.contains(origin) { return true }
        guard app.origins.isEmpty, app.tenant.environment == .development else { return false }
        return ["http://localhost", "http://127.0.0.1", "http://[::1]"].contains { host in
            guard origin.hasPrefix(host) else { return false }
            let rest = origin.dropFirst(host.count)
            return rest.isEmpty || rest.first == ":" && rest.dropFirst().allSatisfy(\.isNumber)
        }
    }
}
