public import RecordModel
public import RecordStorage

/// Tokens as the operator handles them: the text is seen once, the store keeps its digest.
public enum Tokens {
    /// A new token.
    public struct Created: Sendable {
        /// The text; nothing can bring it back later.
        public var token: String
        /// What the store knows of it.
        public var row: TokenRow

        /// Pairs a text that is shown once with what the store knows of it.
        public init(token: String, row: TokenRow) {
            self.token = token
            self.row = row
        }
    }

    /// How much of a digest names a token in lists.
    private static let identifierBytes = 6

    /// Makes a token: for an app, or for a user where one is given.
    ///
    /// - Parameters:
    ///   - tenant: the container and the environment that it lets in.
    ///   - user: whom it names; nil for an app's token.
    ///   - label: what operators call it.
    ///   - lifetimeMilliseconds: how long it is good; nil for ever.
    ///   - callback: where the sign-in page sends an app's users; nil to tell the page that opened it.
    ///   - origins: whose pages the sign-in page may tell.
    ///   - asksForPeople: whether an app may ask for names, and for people by their addresses.
    ///   - store: where its digest is kept.
    ///   - environment: the clock and the source of randomness.
    /// - Throws: `BAD_REQUEST` for a callback or an origin that is not an address; `StorageError` where the store cannot be
    ///   written.
    public static func create(
        tenant: Tenant, user: UserRow?, label: String, lifetimeMilliseconds: Int64?, callback: String? = nil,
        origins: [String] = [], asksForPeople: Bool = false, store: any RecordStore,
        environment: ServiceEnvironment
    ) async throws -> Created {
        try SignInTargets.check(callback: callback, origins: origins)
        let now = environment.now()
        let row = TokenRow(
            kind: user == nil ? .api : .web, tenant: tenant, user: user?.recordName, label: label,
            createdAt: now, expiresAt: lifetimeMilliseconds.map { now + $0 }, callback: callback,
            origins: origins, asksForPeople: asksForPeople)
        let token = AccessToken.make(random: environment.random(32))
        let digest = AccessToken.digest(token)
        try await store.write { try $0.insert(row, digest: digest) }
        return Created(token: token, row: row)
    }

    /// Says again where the users of an app go from the sign-in page: nil and none as well.
    ///
    /// - Throws: `NOT_FOUND` for a token that is none of an app's; `BAD_REQUEST` for what is not an address.
    public static func setTargets(
        callback: String?, origins: [String], of text: String, tenant: Tenant, store: any RecordStore
    ) async throws {
        try SignInTargets.check(callback: callback, origins: origins)
        try await change(text, of: tenant, store: store) { row in
            row.callback = callback
            row.origins = origins
        }
    }

    /// Says again whether an app may ask for the names of people who agreed, and find them by their addresses. Servers know at
    /// once; one on SQLite, which another process changed it beside, within five seconds.
    ///
    /// - Parameters:
    ///   - isAllowed: whether it may.
    ///   - text: the API token, or the short name that lists show.
    ///   - tenant: the token's container and environment.
    ///   - store: where its digest is kept.
    /// - Throws: `NOT_FOUND` for a token that is none of an app's.
    public static func setAsksForPeople(
        _ isAllowed: Bool, of text: String, tenant: Tenant, store: any RecordStore
    ) async throws {
        try await change(text, of: tenant, store: store) { $0.asksForPeople = isAllowed }
    }

    /// Changes what an app's token allows; its text stays.
    private static func change(
        _ text: String, of tenant: Tenant, store: any RecordStore,
        _ change: @escaping @Sendable (inout TokenRow) -> Void
    ) async throws {
        guard let found = try await find(text, of: tenant, store: store), found.row.kind == .api else {
            throw ServiceError(
                .notFound, "\(tenant) has no such API token.", remedy: "'stratus token list' shows them.")
        }
        try await store.write { store in
            guard var row = try store.token(digest: found.digest) else { return }
            change(&row)
            try store.deleteToken(digest: found.digest)
            try store.insert(row, digest: found.digest)
        }
    }

    /// The short name of a token, safe to show: it lets nobody in.
    public static func identifier(of digest: [UInt8]) -> String {
        AccessToken.make(random: Array(digest.prefix(identifierBytes)))
    }

    /// The token or key of a text, of a key's id, or of the short name that lists show.
    static func find(
        _ text: String, of tenant: Tenant, store: any RecordStore
    ) async throws -> IdentifiedToken? {
        let digest = AccessToken.digest(text)
        let name = text.lowercased()
        return try await store.read(.short) { try $0.identifiedTokens(of: tenant) }.first {
            $0.digest == digest || identifier(of: $0.digest) == name
                || $0.row.kind == .key && $0.digest.hex == name
        }
    }

    /// Ends a token, given as its text or as its short name. It is refused at once; by a server on SQLite beside
    /// another process that ended it, within five seconds. The sessions of an app end with its API token.
    ///
    /// - Throws: `NOT_FOUND` when the tenant has no such token.
    public static func revoke(
        _ text: String, of tenant: Tenant, store: any RecordStore
    ) async throws -> TokenRow {
        guard let found = try await find(text, of: tenant, store: store), found.row.kind != .key else {
            throw ServiceError(
                .notFound, "\(tenant) has no such token.",
                remedy:
                    "Find it with 'stratus token list --container \(tenant.container) --environment \(tenant.environment.rawValue)'."
            )
        }
        try await store.write { store in
            try store.deleteToken(digest: found.digest)
            if found.row.kind == .api { try store.deleteSessions(ofAPIToken: found.digest) }
        }
        return found.row
    }
}
