import HTTPTypes
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage

/// What the page of users says of a container's sign-in page.
struct SignInSection: TemplateModel {
    /// A choice of who may make an account.
    struct Choice: TemplateModel {
        let value: String
        let text: String
        let isChosen: Bool
    }

    /// A link that no mail carries.
    struct Link: TemplateModel {
        let address: String
        let link: String
    }

    /// A provider with which people sign in.
    struct Provider: TemplateModel {
        let name: String
        let title: String
        let issuer: String
        let client: String
        let redirect: String
    }

    let page: String
    let providers: [Provider]
    let hasProviders: Bool
    let choices: [Choice]
    let invited: String
    let appTitle: String
    /// The page's own color, `#rrggbb`; empty for that of all pages.
    let color: String
    /// Where the page's picture is; nil for none.
    let logo: String?
    /// What becomes of public records of people who delete their accounts.
    let fates: [Choice]
    /// Whether links of shares that their owners open to everybody need no account.
    let showsShares: Bool
    /// Whether invited people are told by mail.
    let mailsInvitations: Bool
    /// What the page of a link opens the app by.
    let appLink: String
    /// The apps that open links by themselves, one a line.
    let linkedApps: String
    /// Whether operators have to give links on.
    let hasNoMail: Bool
    let links: [Link]
    let hasLinks: Bool
}

/// The sign-in page, its links and people's sessions, for operators.
enum SignInSectionPages {
    static let routes: [Route] = [
        .post("/c/:container/:environment/sign-in", set),
        .post("/c/:container/:environment/links", setLinks),
        .post("/c/:container/:environment/accounts/invite", invite),
        .post("/c/:container/:environment/users/:name/end", end),
        .post("/c/:container/:environment/users/:name/remove", remove),
    ]

    static func section(_ context: ConsoleContext, _ tenant: Tenant) async throws -> SignInSection? {
        guard let accounts = context.console.settings.accounts else { return nil }
        let policy = try await accounts.policy(of: tenant)
        // A link lets in as somebody else.
        let kept = context.isReadOnly ? nil : context.console.settings.links
        let links = (kept?.all(of: tenant, now: context.now) ?? []).map {
            SignInSection.Link(address: $0.address, link: $0.link)
        }
        let texts: [(SignInPolicyRow.Admission, String)] = [
            (.operators, "operators make accounts"), (.invited, "invited addresses and domains"),
            (.open, "anyone with an email address"),
        ]
        let providers = try await accounts.providers(of: tenant).map {
            SignInSection.Provider(
                name: $0.name, title: $0.title, issuer: $0.issuer, client: $0.clientID,
                redirect: context.request.baseURL + SignInProviders.redirectPath(of: $0.name, in: tenant))
        }
        return SignInSection(
            page: "/sign-in/\(tenant.container)/\(tenant.environment.rawValue)",
            providers: providers, hasProviders: !providers.isEmpty,
            choices: texts.map {
                .init(value: $0.rawValue, text: $1, isChosen: $0 == policy.admission)
            },
            invited: policy.invited.joined(separator: "\n"), appTitle: policy.title,
            color: policy.color, logo: SignInLookFiles.logoPath(policy),
            fates: [(.keep, "stay, without a name"), (.remove, "go")].map {
                (fate: ErasureRow.PublicRecords, text: String) in
                .init(value: fate.rawValue, text: text, isChosen: fate == policy.publicRecords)
            },
            showsShares: policy.showsShares, mailsInvitations: !policy.mutesInvitations,
            appLink: policy.appLink, linkedApps: policy.linkedApps.joined(separator: "\n"),
            hasNoMail: !accounts.post.reachesPeople, links: links, hasLinks: !links.isEmpty)
    }

    @Sendable private static func set(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        guard let admission = SignInPolicyRow.Admission(rawValue: context.form["admission"] ?? "") else {
            throw ServiceError(.badRequest, "The form does not say who may make an account.")
        }
        let invited = (context.form.text("invited") ?? "").split { $0.isWhitespace || $0 == "," }
            .map(String.init)
        let title = context.form.text("appTitle") ?? ""
        let color = context.form.text("color")
        let logo: [UInt8]? = context.form["noLogo"] == nil ? nil : []
        let fate = context.form["publicRecords"].flatMap(ErasureRow.PublicRecords.init)
        try await context.doing("sign-in.set", admission.rawValue, tenant: tenant) {
            try await SignInPolicies.set(
                admission: admission, invited: invited, title: title, publicRecords: fate, color: color,
                logo: logo, of: tenant, store: context.store)
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/users"), saying: "The sign-in page uses that from now on.")
    }

    @Sendable private static func setLinks(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let apps = (context.form.text("linkedApps") ?? "").split(whereSeparator: \.isWhitespace).map(
            String.init)
        let links = ShareLinkSettings(
            showsShares: context.form["showsShares"] != nil,
            appLink: (context.form.text("appLink") ?? "").filter { !$0.isWhitespace }, linkedApps: apps,
            mailsInvitations: context.form["mailsInvitations"] != nil)
        try await context.doing("share-links.set", "", tenant: tenant) {
            try await SignInPolicies.set(links: links, of: tenant, store: context.store)
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/users"), saying: "Links of shares follow that from now on.")
    }

    @Sendable private static func invite(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        guard let accounts = context.console.settings.accounts else {
            throw ServiceError(.badRequest, "This server has no sign-in pages.")
        }
        let address = context.form["address"] ?? ""
        let path = try await context.doing("account.invite", address, tenant: tenant) {
            try await accounts.invite(address, to: tenant)
        }
        let page = ConsoleContext.path(tenant, "/users")
        guard let path else {
            return context.redirect(to: page, saying: "\(address) has an account, and may sign in here now.")
        }
        let row = TokenRow(
            kind: .page, tenant: tenant, user: nil, label: address, createdAt: context.now, expiresAt: nil)
        let key = context.console.newTokens.keep(
            Tokens.Created(token: context.request.baseURL + path, row: row),
            session: context.session?.csrf ?? "", now: context.now)
        return context.redirect(to: page + "?made=\(FormValues.encoded(key))")
    }

    /// Removes a user: with an account, the account in all containers.
    @Sendable private static func remove(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let name = context.parameters["name"] ?? ""
        let now = context.now
        let user = try await Users.find(name, in: tenant, store: context.store)
        let account = try await context.read { reader in try user.account.flatMap { try reader.account($0) } }
        if let account {
            try await context.doing("account.remove", account.address, tenant: tenant) {
                try await AccountList.remove(account.address, now: now, store: context.store)
            }
        } else {
            try await context.doing("user.remove", user.label, tenant: tenant) {
                try await Users.remove(user.recordName, from: tenant, now: now, store: context.store)
            }
        }
        context.console.settings.accounts?.sessions.forget()
        return context.redirect(
            to: ConsoleContext.path(tenant, "/users"),
            saying: "'\(user.label)' is removed; the records follow within moments.")
    }

    @Sendable private static func end(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let name = context.parameters["name"] ?? ""
        let count = try await context.doing("user.end", name, tenant: tenant) {
            try await UserSessions.end(nil, of: name, in: tenant, store: context.store)
        }
        context.console.settings.accounts?.sessions.forget()
        return context.redirect(
            to: ConsoleContext.path(tenant, "/users"),
            saying: "Signed out of \(count) \(count == 1 ? "session" : "sessions").")
    }
}
