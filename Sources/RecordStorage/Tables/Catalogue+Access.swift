public import RecordModel

/// Users of tenants, and tokens that let clients in.
extension Catalogue {
    package static let users = StoreTable<UserRow>(
        "user", key: 2,
        [
            .init("tenant", \.tenant), .init("record_name", \.recordName), .init("label", \.label),
            .init("created_at", \.createdAt), .init("roles", \.roles), .init("account", \.account),
            .init("discoverable", \.discovery.isAllowed), .init("given_name", \.discovery.givenName),
            .init("family_name", \.discovery.familyName), .init("disabled", \.isDisabled),
        ], postgres: "account", unique: [["tenant", "label"]], indexes: [["account"]]
    ) { UserRow(tenant: $0, recordName: "", label: "", createdAt: 0) }

    package static let tokens = StoreTable<IdentifiedToken>(
        "token", key: 1,
        [
            .init("digest", \.digest), .init("tenant", \.row.tenant), .init("kind", \.row.kind),
            .init("user", \.row.user), .init("label", \.row.label), .init("created_at", \.row.createdAt),
            .init("expires_at", \.row.expiresAt), .init("public_key", \.row.publicKey),
            .init("used_at", \.row.usedAt), .init("session", \.row.sessionID),
            .init("previous", \.row.previousDigest), .init("replaced_at", \.row.replacedAt),
            .init("callback", \.row.callback), .init("origins", \.row.origins),
            .init("asks_for_people", \.row.asksForPeople),
        ], indexes: [["session"]]
    ) {
        IdentifiedToken(
            digest: [],
            row: TokenRow(kind: .api, tenant: $0, user: nil, label: "", createdAt: 0, expiresAt: nil))
    }
}

/// The columns of a token's succession. A token without a session has none of them.
extension TokenRow {
    fileprivate var sessionID: String? {
        get { succession?.session }
        set { succession = newValue.map { TokenSuccession(session: $0) } }
    }

    fileprivate var previousDigest: [UInt8]? {
        get { succession?.previous }
        set { succession?.previous = newValue }
    }

    fileprivate var replacedAt: Int64? {
        get { succession?.replacedAt }
        set { succession?.replacedAt = newValue }
    }
}

extension StoreReader {
    /// The token of the given digest.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func token(digest: [UInt8]) throws -> TokenRow? {
        try row(of: Catalogue.tokens, where: TableCondition("digest", .equal, digest))?.row
    }

    /// The newest tokens of a tenant with their digests, the newest first; not those of sessions.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func identifiedTokens(of tenant: Tenant, limit: Int = .max) throws -> [IdentifiedToken] {
        try rows(
            of: Catalogue.tokens,
            TableQuery(
                [TableCondition("tenant", .equal, tenant), .isNull("session")],
                order: ["-created_at", "digest"], limit: limit))
    }

    /// The user of a record name.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func user(named recordName: String, of tenant: Tenant) throws -> UserRow? {
        try row(
            of: Catalogue.users, where: TableCondition("tenant", .equal, tenant),
            TableCondition("record_name", .equal, recordName))
    }

    /// The newest users of a tenant, the newest first.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func users(of tenant: Tenant, limit: Int = .max) throws -> [UserRow] {
        try rows(
            of: Catalogue.users,
            TableQuery(
                [TableCondition("tenant", .equal, tenant)], order: ["-created_at", "record_name"],
                limit: limit))
    }

    /// Users who allow others to find them, by record name, after one of them.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func discoverableUsers(of tenant: Tenant, after recordName: String, limit: Int) throws -> [UserRow]
    {
        try rows(
            of: Catalogue.users,
            TableQuery(
                [
                    TableCondition("tenant", .equal, tenant),
                    TableCondition("discoverable", .equal, true, isFixed: true),
                ], order: ["record_name"], after: [recordName], limit: limit))
    }

    /// The record name of the user with a label; nil where there is none.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func userName(labelled label: String, of tenant: Tenant) throws -> String? {
        try row(
            of: Catalogue.users, where: TableCondition("tenant", .equal, tenant),
            TableCondition("label", .equal, label))?.recordName
    }

    /// The users that an account is in the tenants that it has been to.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func users(ofAccount account: String) throws -> [UserRow] {
        try rows(
            of: Catalogue.users,
            TableQuery([TableCondition("account", .equal, account)], order: ["tenant", "record_name"]))
    }

    /// How many users and tokens a tenant has; tokens of sessions do not count.
    ///
    /// - Throws: ``StorageError`` where they cannot be counted.
    public func accessCounts(of tenant: Tenant) throws -> (users: Int, tokens: Int) {
        let isOurs = TableCondition("tenant", .equal, tenant)
        return (
            try count(of: Catalogue.users, where: isOurs),
            try count(of: Catalogue.tokens, where: isOurs, .isNull("session"))
        )
    }
}

extension StoreWriter {
    /// Stores a token.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func insert(_ token: TokenRow, digest: [UInt8]) throws {
        try insert(IdentifiedToken(digest: digest, row: token), into: Catalogue.tokens)
    }

    /// Forgets a token.
    ///
    /// - Throws: ``StorageError`` where it cannot be forgotten.
    public func deleteToken(digest: [UInt8]) throws {
        try remove(from: Catalogue.tokens, where: TableCondition("digest", .equal, digest))
        try announce(.revocation)
    }

    /// Notes when a key was used, in milliseconds.
    ///
    /// - Throws: ``StorageError`` where it cannot be noted.
    public func noteUse(ofToken digest: [UInt8], at now: Int64) throws {
        try update(
            Catalogue.tokens, set: [("used_at", now)], where: TableCondition("digest", .equal, digest))
    }

    /// Gives a token of a session another end and another succession.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func setSuccession(_ succession: TokenSuccession, expiresAt: Int64?, ofToken digest: [UInt8])
        throws
    {
        try update(
            Catalogue.tokens,
            set: [
                ("session", succession.session), ("previous", succession.previous),
                ("replaced_at", succession.replacedAt), ("expires_at", expiresAt),
            ], where: TableCondition("digest", .equal, digest))
    }

    /// Forgets the tokens of a session that were replaced before a time in milliseconds.
    ///
    /// - Throws: ``StorageError`` where they cannot be forgotten.
    public func deleteTokens(of session: String, replacedBefore time: Int64) throws {
        try remove(
            from: Catalogue.tokens, where: TableCondition("session", .equal, session),
            TableCondition("replaced_at", .less, time))
    }

    /// Stores a user.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func insert(_ user: UserRow) throws { try insert(user, into: Catalogue.users) }

    /// Gives a user these roles in the place of those before.
    ///
    /// - Throws: ``StorageError`` where they cannot be stored.
    public func setRoles(_ roles: [String], ofUserNamed recordName: String, tenant: Tenant) throws {
        try set([("roles", roles)], ofUserNamed: recordName, tenant)
        try announce(.revocation)
    }

    /// Shuts a user out, or lets it in again. Whoever remembers tokens hears of it.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func setDisabled(_ isDisabled: Bool, ofUserNamed recordName: String, tenant: Tenant) throws {
        try set([("disabled", isDisabled)], ofUserNamed: recordName, tenant)
        try announce(.revocation)
    }

    /// Gives a user another label, which must be free.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func setLabel(_ label: String, ofUserNamed recordName: String, tenant: Tenant) throws {
        try set([("label", label)], ofUserNamed: recordName, tenant)
    }

    /// Says whether others may find a user, and under which name.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func setDiscovery(_ discovery: UserDiscovery, ofUserNamed recordName: String, tenant: Tenant)
        throws
    {
        try set(
            [
                ("discoverable", discovery.isAllowed), ("given_name", discovery.givenName),
                ("family_name", discovery.familyName),
            ], ofUserNamed: recordName, tenant)
    }

    /// Forgets a user. Records stay as they are.
    ///
    /// - Throws: ``StorageError`` where it cannot be forgotten.
    public func deleteUser(named recordName: String, of tenant: Tenant) throws {
        try remove(
            from: Catalogue.users, where: TableCondition("tenant", .equal, tenant),
            TableCondition("record_name", .equal, recordName))
        try announce(.revocation)
    }

    private func set(
        _ values: [(column: String, value: any ColumnCoding)], ofUserNamed recordName: String,
        _ tenant: Tenant
    ) throws {
        try update(
            Catalogue.users, set: values, where: TableCondition("tenant", .equal, tenant),
            TableCondition("record_name", .equal, recordName))
    }
}
