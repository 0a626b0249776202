internal import RecordModel

/// People's accounts, with what they sign in by.
extension Catalogue {
    package static let accounts = StoreTable<AccountRow>(
        "sign_in_account", key: 1,
        [
            .init("id", \.id), .init("address", \.address), .init("created_at", \.createdAt),
            .init("disabled", \.isDisabled, as: .flag),
        ], unique: [["address"]], blank: AccountRow(id: "", address: "", createdAt: 0))

    package static let credentials = StoreTable<CredentialRow>(
        "credential", key: 2,
        [
            .init("kind", \.kind), .init("name", \.name), .init("account", \.account),
            .init("secret", \.secret), .init("created_at", \.createdAt),
        ], indexes: [["account"]],
        blank: CredentialRow(account: "", kind: .password, name: "", secret: [], createdAt: 0))

    package static let sessions = StoreTable<SessionRow>(
        "session", key: 1,
        [
            .init("id", \.id), .init("tenant", \.tenant), .init("user", \.user), .init("account", \.account),
            .init("label", \.label), .init("created_at", \.createdAt), .init("seen_at", \.seenAt),
            .init("ends_at", \.endsAt), .init("idle", \.idleMilliseconds), .init("api_token", \.apiToken),
        ], indexes: [["account"], ["api_token"]]
    ) {
        SessionRow(
            id: "", tenant: $0, user: "", account: "", label: "", createdAt: 0, seenAt: 0, endsAt: 0,
            idleMilliseconds: 0)
    }

    package static let links = StoreTable<DigestedLink>(
        "account_link", key: 1,
        [
            .init("digest", \.digest), .init("purpose", \.link.purpose), .init("account", \.link.account),
            .init("address", \.link.address), .init("tenant", \.link.tenant),
            .init("api_token", \.link.apiToken), .init("created_at", \.link.createdAt),
            .init("expires_at", \.link.expiresAt),
        ], indexes: [["address"]]
    ) {
        DigestedLink(
            digest: [],
            link: AccountLinkRow(
                purpose: .dead, account: nil, address: "", tenant: $0, apiToken: nil, createdAt: 0,
                expiresAt: 0))
    }
}

/// A link with the digest by which it is found.
package struct DigestedLink: Hashable, Sendable {
    package var digest: [UInt8]
    package var link: AccountLinkRow

    package init(digest: [UInt8], link: AccountLinkRow) {
        self.digest = digest
        self.link = link
    }
}

extension StoreReader {
    /// The account of an id.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func account(_ id: String) throws -> AccountRow? {
        try row(of: Catalogue.accounts, where: TableCondition("id", .equal, id))
    }

    /// The account of an address, in the form in which addresses are compared.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func account(withAddress address: String) throws -> AccountRow? {
        try row(of: Catalogue.accounts, where: TableCondition("address", .equal, address))
    }

    /// The first accounts by address, after an address.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func accounts(after address: String, limit: Int) throws -> [AccountRow] {
        try rows(
            of: Catalogue.accounts, TableQuery(order: ["address"], after: [address], limit: limit))
    }

    /// What shows that an account is somebody's, by kind and name.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func credentials(of account: String) throws -> [CredentialRow] {
        try rows(
            of: Catalogue.credentials,
            TableQuery([TableCondition("account", .equal, account)], order: ["kind", "name"]))
    }

    /// A credential by kind and name; nil where nobody has it.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func credential(_ kind: CredentialRow.Kind, named name: String) throws -> CredentialRow? {
        try row(
            of: Catalogue.credentials, where: TableCondition("kind", .equal, kind),
            TableCondition("name", .equal, name))
    }

    /// The link of the given digest.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func accountLink(digest: [UInt8]) throws -> AccountLinkRow? {
        try row(of: Catalogue.links, where: TableCondition("digest", .equal, digest))?.link
    }

    /// The session of an id.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func session(_ id: String) throws -> SessionRow? {
        try row(of: Catalogue.sessions, where: TableCondition("id", .equal, id))
    }

    /// The sessions of an account in all tenants, the newest first.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func sessions(of account: String) throws -> [SessionRow] {
        try rows(
            of: Catalogue.sessions,
            TableQuery([TableCondition("account", .equal, account)], order: ["-created_at", "id"]))
    }
}

extension StoreWriter {
    /// Stores an account, in the place of the one with its id; its address must be free.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func store(_ account: AccountRow) throws {
        try put(account, into: Catalogue.accounts)
        if account.isDisabled { try announce(.revocation) }
    }

    /// Forgets an account with its credentials, links, sessions and their receivers. Its users stay.
    ///
    /// - Throws: ``StorageError`` where it cannot be forgotten.
    public func deleteAccount(_ id: String) throws {
        let isTheirs = TableCondition("account", .equal, id)
        try deleteSessions(where: isTheirs)
        try remove(from: Catalogue.credentials, where: isTheirs)
        try remove(from: Catalogue.links, where: isTheirs)
        try remove(from: Catalogue.accounts, where: TableCondition("id", .equal, id))
    }

    /// Stores a credential, in the place of the one with its kind and name.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func store(_ credential: CredentialRow) throws {
        try put(credential, into: Catalogue.credentials)
    }

    /// Forgets a credential.
    ///
    /// - Throws: ``StorageError`` where it cannot be forgotten.
    public func deleteCredential(_ kind: CredentialRow.Kind, named name: String) throws {
        try remove(
            from: Catalogue.credentials, where: TableCondition("kind", .equal, kind),
            TableCondition("name", .equal, name))
    }

    /// Stores a link.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func insert(_ link: AccountLinkRow, digest: [UInt8]) throws {
        try insert(DigestedLink(digest: digest, link: link), into: Catalogue.links)
    }

    /// Forgets a link.
    ///
    /// - Throws: ``StorageError`` where it cannot be forgotten.
    public func deleteAccountLink(digest: [UInt8]) throws {
        try remove(from: Catalogue.links, where: TableCondition("digest", .equal, digest))
    }

    /// Forgets the links that were mailed to an address, and those of an account.
    ///
    /// - Throws: ``StorageError`` where they cannot be forgotten.
    public func deleteAccountLinks(to address: String, of account: String?) throws {
        try remove(from: Catalogue.links, where: TableCondition("address", .equal, address))
        guard let account else { return }
        try remove(from: Catalogue.links, where: TableCondition("account", .equal, account))
    }

    /// Forgets the links that ended before a time in milliseconds.
    ///
    /// - Throws: ``StorageError`` where they cannot be forgotten.
    public func deleteAccountLinks(expiredBefore time: Int64) throws {
        try remove(from: Catalogue.links, where: TableCondition("expires_at", .less, time))
    }

    /// Stores a session, in the place of the one with its id.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func store(_ session: SessionRow) throws { try put(session, into: Catalogue.sessions) }

    /// Ends the sessions of an API token's app, with their tokens and receivers.
    ///
    /// - Throws: ``StorageError`` where they cannot be ended.
    public func deleteSessions(ofAPIToken digest: [UInt8]) throws {
        try deleteSessions(where: TableCondition("api_token", .equal, digest))
    }

    /// Forgets a session with its tokens and receivers.
    ///
    /// - Throws: ``StorageError`` where it cannot be forgotten.
    public func deleteSession(_ id: String) throws { try deleteSessions([id]) }

    /// Looks at some sessions in the order of their ids, and forgets those that ended before a time in milliseconds or
    /// whose last token did.
    ///
    /// - Parameters:
    ///   - time: milliseconds since 1970.
    ///   - id: the session after which to begin; an empty text for the first.
    ///   - limit: how many to look at.
    /// - Returns: the last one that was looked at; nil where there was none.
    /// - Throws: ``StorageError`` where they cannot be read or forgotten.
    public func deleteSessions(endedBefore time: Int64, after id: String, limit: Int) throws -> String? {
        let seen = try rows(of: Catalogue.sessions, TableQuery(order: ["id"], after: [id], limit: limit))
        let tokens = try rows(
            of: Catalogue.tokens, TableQuery([.among("session", seen.map(\.id))]))
        let live = Set(tokens.filter { $0.row.expiresAt ?? .max >= time }.map(\.row.succession?.session))
        let ended = seen.filter { $0.endsAt < time || !live.contains($0.id) }
        if !ended.isEmpty { try deleteSessions(ended.map(\.id)) }
        return seen.last?.id
    }

    private func deleteSessions(where condition: TableCondition) throws {
        try deleteSessions(rows(of: Catalogue.sessions, TableQuery([condition])).map(\.id))
    }

    private func deleteSessions(_ ids: [String]) throws {
        try remove(from: Catalogue.tokens, where: .among("session", ids))
        try remove(
            from: Catalogue.receivers, where: .among("session", ids.map { ReceiverOrigin.session($0).stored })
        )
        try remove(from: Catalogue.sessions, where: .among("id", ids))
        try announce(.revocation)
    }
}
