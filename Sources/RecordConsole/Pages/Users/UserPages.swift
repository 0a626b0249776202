import RecordEngine
import RecordModel
import RecordServer
import RecordStorage

/// The users of a container, and the tokens that let apps and users in.
enum UserPages {
    static let routes: [Route] = [
        .get("/c/:container/:environment/users", list),
        .post("/c/:container/:environment/users", addUser),
        .post("/c/:container/:environment/users/:name/disabled", setDisabled),
        .post("/c/:container/:environment/roles/give", giveRole),
        .post("/c/:container/:environment/roles/take", takeRole),
        .post("/c/:container/:environment/tokens", makeToken),
        .post("/c/:container/:environment/tokens/:id/revoke", revokeToken),
        .post("/c/:container/:environment/tokens/:id/people", setPeople),
        .post("/c/:container/:environment/keys", makeKey),
        .post("/c/:container/:environment/keys/:id/revoke", revokeKey),
    ]

    /// The most users and the most tokens that the page shows, the newest.
    private static let shown = 500

    @Sendable private static func list(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        // A token that was made just now; later its text cannot be shown.
        let created = context.query["made"].flatMap {
            context.console.newTokens.token($0, session: context.session?.csrf ?? "", now: context.now)
        }
        let (users, tokens, counts, usages) = try await context.read { reader in
            (
                try reader.users(of: tenant, limit: shown),
                try reader.identifiedTokens(of: tenant, limit: shown), try reader.accessCounts(of: tenant),
                try reader.databaseUsages(of: tenant, limit: shown)
            )
        }
        let tokenCounts = tokens.reduce(into: [String: Int]()) { counts, token in
            if let user = token.row.user { counts[user, default: 0] += 1 }
        }
        let stored = usages.reduce(into: [String: String]()) { stored, database in
            if let owner = database.owner { stored[owner] = NumberText.bytes(database.usage.bytes) }
        }
        let names = Dictionary(
            users.map { ($0.recordName, $0.label) }, uniquingKeysWith: { first, _ in first })
        let now = context.now
        let declaredRoles = context.store.schema(of: tenant).roles
        let userRows = users.map { user in
            let query = "db=\(FormValues.encoded(user.recordName))"
            return UsersPage.User(
                name: user.label, recordName: user.recordName, made: TimeModel(user.createdAt),
                tokens: tokenCounts[user.recordName] ?? 0,
                roles: user.roles.map {
                    UsersPage.Role(role: $0, holder: user.recordName, holderName: user.label)
                },
                records: "/console" + ConsoleContext.path(tenant, "/records?\(query)"),
                zones: "/console" + ConsoleContext.path(tenant, "/zones?\(query)"),
                stored: stored[user.recordName],
                endAction: user.account == nil
                    ? nil
                    : "/console"
                        + ConsoleContext.path(tenant, "/users/\(FormValues.encoded(user.recordName))/end"),
                disableAction: "/console"
                    + ConsoleContext.path(tenant, "/users/\(FormValues.encoded(user.recordName))/disabled"),
                isDisabled: user.isDisabled, disabling: disabling(user),
                removeAction: "/console"
                    + ConsoleContext.path(tenant, "/users/\(FormValues.encoded(user.recordName))/remove"),
                removeText: user.account == nil
                    ? "Remove \(user.label) with all private records?"
                    : "Delete the account of \(user.label) with all private records in all containers?")
        }
        let keyRows = tokens.filter { $0.row.kind == .key }.map { key in
            UsersPage.Key(
                id: key.digest.hex, name: key.row.label, user: key.row.user.map { names[$0] ?? $0 } ?? "",
                made: TimeModel(key.row.createdAt), used: key.row.usedAt.map(TimeModel.init))
        }
        let tokenRows = tokens.filter { $0.row.kind != .key }.map { token in
            UsersPage.Token(
                id: Tokens.identifier(of: token.digest), kind: kind(of: token.row),
                user: token.row.user.map { names[$0] ?? $0 } ?? "", label: token.row.label,
                made: TimeModel(token.row.createdAt), expires: token.row.expiresAt.map(TimeModel.init),
                isExpired: token.row.expiresAt.map { $0 <= now } ?? false,
                people: peopleSwitch(of: token))
        }
        return context.page(
            UsersPage(
                signIn: try await SignInSectionPages.section(context, tenant), users: userRows,
                hasUsers: !users.isEmpty, tokens: tokenRows, hasTokens: !tokenRows.isEmpty,
                keys: keyRows, hasKeys: !keyRows.isEmpty,
                moreUsers: more(counts.users, users.count), moreTokens: more(counts.tokens, tokens.count),
                created: created?.token, createdKind: created.map { kind(of: $0.row) },
                choices: users.map { UsersPage.Choice(name: $0.label, recordName: $0.recordName) },
                declaredRoles: declaredRoles, hasRoles: !declaredRoles.isEmpty && !users.isEmpty),
            title: "Users and tokens", section: .users)
    }

    /// How many of a list are not shown; nil where all are.
    private static func more(_ count: Int, _ shown: Int) -> String? {
        count > shown ? NumberText.grouped(count - shown) : nil
    }

    private static func kind(of token: TokenRow) -> String {
        switch token.kind {
        case .api: "API token"
        case .web: "web auth token"
        case .key: "private key"
        case .page: "link for an account"
        }
    }

    @Sendable private static func addUser(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let name = (context.form["name"] ?? "").trimming { $0.isWhitespace }
        let user = try await context.doing("user.add", name, tenant: tenant) {
            try await Users.add(
                name, to: tenant, store: context.store, environment: context.console.environment)
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/users"), saying: "'\(user.label)' is a user of \(tenant) now.")
    }

    @Sendable private static func giveRole(_ context: ConsoleContext) async throws -> SiteAnswer {
        try await changeRole(context, "role.give", "to", "has") {
            try await SecurityRoles.give($0, to: $1, in: $2, store: context.store)
        }
    }

    @Sendable private static func takeRole(_ context: ConsoleContext) async throws -> SiteAnswer {
        try await changeRole(context, "role.take", "from", "no longer has") {
            try await SecurityRoles.take($0, from: $1, in: $2, store: context.store)
        }
    }

    private static func changeRole(
        _ context: ConsoleContext, _ deed: String, _ preposition: String, _ outcome: String,
        _ change: @escaping @Sendable (_ role: String, _ user: String, Tenant) async throws -> UserRow
    ) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let (role, name) = (context.form["role"] ?? "", context.form["user"] ?? "")
        let user = try await context.doing(deed, "\(role) \(preposition) \(name)", tenant: tenant) {
            try await change(role, name, tenant)
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/users"),
            saying:
                "'\(user.label)' \(outcome) the role \(role)."
        )
    }

    @Sendable private static func makeToken(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        var user: UserRow?
        if let name = context.form["user"] {
            user = try await Users.find(name, in: tenant, store: context.store)
        }
        let label = String((context.form["label"] ?? "").prefix(200))
        let kind = user == nil ? TokenRow.Kind.api : .web
        let holder = user
        let asksForPeople = user == nil && context.form["people"] != nil
        let created = try await context.doing(
            "token.make", "\(kind.rawValue) \(user?.label ?? label)", tenant: tenant
        ) {
            try await Tokens.create(
                tenant: tenant, user: holder, label: label,
                lifetimeMilliseconds: try lifetime(context.form["days"]), asksForPeople: asksForPeople,
                store: context.store,
                environment: context.console.environment)
        }
        // The text itself travels in no address.
        let key = context.console.newTokens.keep(
            created, session: context.session?.csrf ?? "", now: context.now)
        return context.redirect(to: ConsoleContext.path(tenant, "/users?made=\(FormValues.encoded(key))"))
    }

    @Sendable private static func makeKey(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        var user: UserRow?
        if let name = context.form["user"] {
            user = try await Users.find(name, in: tenant, store: context.store)
        }
        let name = (context.form["name"] ?? "").trimming { $0.isWhitespace }
        let publicKey = context.form["publicKey"]
        let owner = user
        let created = try await context.doing("key.make", name, tenant: tenant) {
            try await ServerKeys.create(
                tenant: tenant, label: name, user: owner, publicKey: publicKey, store: context.store,
                environment: context.console.environment)
        }
        let page = ConsoleContext.path(tenant, "/users")
        guard let text = created.privateKey else {
            return context.redirect(to: page, saying: "The key \(created.id) is now valid.")
        }
        let key = context.console.newTokens.keep(
            Tokens.Created(token: text, row: created.row), session: context.session?.csrf ?? "",
            now: context.now)
        return context.redirect(to: page + "?made=\(FormValues.encoded(key))")
    }

    @Sendable private static func revokeKey(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let id = context.parameters["id"] ?? ""
        _ = try await context.doing("key.revoke", id, tenant: tenant) {
            try await ServerKeys.revoke(id, of: tenant, store: context.store)
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/users"),
            saying: "The key is revoked.")
    }

    private static func lifetime(_ days: String?) throws(ServiceError) -> Int64? {
        guard let days else { return nil }
        guard let count = Int64(days), (1...36_500).contains(count) else {
            throw ServiceError(.badRequest, "A token is valid for 1 to 36500 days, or without end.")
        }
        return count * 86_400_000
    }

    @Sendable private static func revokeToken(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let id = context.parameters["id"] ?? ""
        _ = try await context.doing("token.revoke", id, tenant: tenant) {
            try await Tokens.revoke(id, of: tenant, store: context.store)
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/users"),
            saying: "The token \(id) is revoked.")
    }
}
