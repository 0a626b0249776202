public import RecordModel

/// How people come in by a tenant's sign-in page, and who is on the way out.
extension Catalogue {
    package static let policies = StoreTable<SignInPolicyRow>(
        "sign_in_policy", key: 1,
        [
            .init("tenant", \.tenant), .init("admission", \.admission), .init("invited", \.invited),
            .init("title", \.title), .init("public_records", \.publicRecords), .init("color", \.color),
            .init("logo", \.logo), .init("shows_shares", \.showsShares),
            .init("app_link", \.appLink), .init("linked_apps", \.linkedApps),
            .init("mutes_invitations", \.mutesInvitations),
        ]
    ) { SignInPolicyRow(tenant: $0) }

    package static let providers = StoreTable<SignInProviderRow>(
        "sign_in_provider", key: 2,
        [
            .init("tenant", \.tenant), .init("name", \.name), .init("title", \.title),
            .init("issuer", \.issuer), .init("client", \.clientID), .init("secret", \.secret),
            .init("key_id", \.keyID), .init("team", \.team), .init("scopes", \.scopes),
            .init("posts_form", \.postsForm, as: .flag), .init("created_at", \.createdAt),
        ]
    ) {
        SignInProviderRow(
            tenant: $0, name: "", title: "", issuer: "", clientID: "", secret: [], keyID: "", team: "",
            scopes: "", postsForm: false, createdAt: 0)
    }

    package static let erasures = StoreTable<ErasureRow>(
        "erasure", key: 2,
        [
            .init("tenant", \.tenant), .init("user", \.user), .init("public_records", \.publicRecords),
            .init("created_at", \.createdAt),
        ]
    ) { ErasureRow(tenant: $0, user: "", publicRecords: .keep, createdAt: 0) }
}

extension StoreReader {
    /// Who may sign in on a tenant's sign-in page; nil where nobody has set it.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func signInPolicy(of tenant: Tenant) throws -> SignInPolicyRow? {
        try row(of: Catalogue.policies, where: TableCondition("tenant", .equal, tenant))
    }

    /// What operators have set of all tenants' sign-in pages.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func signInPolicies() throws -> [SignInPolicyRow] {
        try rows(of: Catalogue.policies, TableQuery(order: ["tenant"]))
    }

    /// The providers with which people sign in to a tenant, by name.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func signInProviders(of tenant: Tenant) throws -> [SignInProviderRow] {
        try rows(
            of: Catalogue.providers,
            TableQuery([TableCondition("tenant", .equal, tenant)], order: ["name"]))
    }

    /// Users whose records are being removed, the earliest first.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func erasures(limit: Int) throws -> [ErasureRow] {
        try rows(
            of: Catalogue.erasures, TableQuery(order: ["created_at", "tenant", "user"], limit: limit))
    }
}

extension StoreWriter {
    /// Stores who may come in by a tenant's sign-in page.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func store(_ policy: SignInPolicyRow) throws { try put(policy, into: Catalogue.policies) }

    /// Stores a provider, in the place of the tenant's one with its name.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func store(_ provider: SignInProviderRow) throws { try put(provider, into: Catalogue.providers) }

    /// Forgets a provider. What accounts have of it stays.
    ///
    /// - Throws: ``StorageError`` where it cannot be forgotten.
    public func deleteSignInProvider(named name: String, of tenant: Tenant) throws {
        try remove(
            from: Catalogue.providers, where: TableCondition("tenant", .equal, tenant),
            TableCondition("name", .equal, name))
    }

    /// Notes that a user's records are to go, in the place of an earlier note.
    ///
    /// - Throws: ``StorageError`` where it cannot be noted.
    public func store(_ erasure: ErasureRow) throws { try put(erasure, into: Catalogue.erasures) }

    /// Forgets that a user's records are to go.
    ///
    /// - Throws: ``StorageError`` where it cannot be forgotten.
    public func deleteErasure(ofUserNamed name: String, in tenant: Tenant) throws {
        try remove(
            from: Catalogue.erasures, where: TableCondition("tenant", .equal, tenant),
            TableCondition("user", .equal, name))
    }
}
