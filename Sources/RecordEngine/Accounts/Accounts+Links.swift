public import RecordModel
public import RecordStorage

extension Accounts {
    /// What somebody asks a link for.
    public enum LinkRequest: Sendable {
        /// To make an account.
        case signUp
        /// To choose another password.
        case reset
    }

    /// The path of a link below the server's address.
    static func path(_ code: String, in tenant: Tenant, language: String, share: String? = nil) -> String {
        "/sign-in/\(tenant.container)/\(tenant.environment.rawValue)/link/\(code)?lang=\(language)"
            + (share.map { "&share=\($0)" } ?? "")
    }

    /// Has a link mailed to an address, where there is a reason to: what the address is to this installation decides, after
    /// the answer.
    ///
    /// - Throws: `BAD_REQUEST` for what is not an address; `ACCESS_DENIED` where the request does not name this server as links in mails
    ///   have to; `THROTTLED` where the client asks for very many, or all do.
    public func requestLink(
        _ request: LinkRequest, to text: String, at place: Place, client: Client
    ) throws(ServiceError) {
        guard let address = MailAddress(text) else {
            throw ServiceError(.badRequest, "'\(text.prefix(100))' is not an email address.")
        }
        // Told at once, and not only to the log.
        _ = try place.linkBase
        guard mails.admit(from: client, now: environment.now()),
            pending.run(
                for: client.network,
                { [self] in
                    await noting { try await mailLink(request, to: address, at: place) }
                })
        else {
            throw ServiceError.tooManyAttempts(milliseconds: 60_000)
        }
    }

    /// Does what nobody waits for; a failure is for the operator's log.
    private func noting(_ work: () async throws -> Void) async {
        do { try await work() } catch { post.noteFailure(error) }
    }

    /// Mails a link where there is a reason to.
    func mailLink(_ request: LinkRequest, to address: MailAddress, at place: Place) async throws {
        let now = environment.now()
        guard mails.admit(to: address, of: place.tenant, now: now) else { return }
        let code = AccessToken.make(random: environment.random(32))
        let tenant = place.tenant
        let apiToken = place.apiToken
        let kind: AccountMail.Kind? = try await store.write { store in
            let account = try store.account(withAddress: address.text)
            let isAdmitted =
                try SignInPolicies.policy(of: tenant, in: store).admits(address) && request == .signUp
            let isGood = account.map { !$0.isDisabled } ?? isAdmitted
            // Written in any case: the time that others' writes wait tells nobody whether the address is known.
            try store.insert(
                AccountLinkRow(
                    purpose: !isGood ? .dead : account == nil ? .signUp : .reset,
                    account: isGood ? account?.id : nil, address: address.text, tenant: tenant,
                    apiToken: apiToken, createdAt: now, expiresAt: now + Self.linkMilliseconds),
                digest: AccessToken.digest(code))
            guard isGood else { return nil }
            return account == nil ? .signUp : request == .signUp ? .known : .reset
        }
        guard let kind else { return }
        await tell(
            kind, address, at: place,
            link: try place.linkBase
                + Self.path(code, in: tenant, language: place.language, share: place.share))
    }

    /// How long a request waits for the mail that tells the owner of an account what it did.
    private static let noticePatience = Duration.seconds(2)

    /// Tells the owner of an account what was done, also where whoever did it leaves: the mail is tried as often as others,
    /// and the request, which may have something to show once, waits for it a moment only.
    func notify(_ kind: AccountMail.Kind, _ address: MailAddress, at place: Place) async {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let isLater = pending.run { [self] in
            await tell(kind, address, at: place)
            end.finish()
        }
        guard isLater else { return await tell(kind, address, at: place) }
        let timer = Task {
            // Where it is over, nobody waits any more.
            try? await Task.sleep(for: Self.noticePatience)
            end.finish()
        }
        for await _ in ends {}
        timer.cancel()
    }

    func tell(
        _ kind: AccountMail.Kind, _ address: MailAddress, at place: Place, link: String? = nil
    ) async {
        guard address.isReachable else { return }
        await post.send(await mail(kind, address, at: place, link: link))
    }

    /// A mail with the title of the place's page.
    func mail(
        _ kind: AccountMail.Kind, _ address: MailAddress, at place: Place, link: String? = nil
    ) async -> AccountMail {
        let tenant = place.tenant
        // The mail is worth more than the title in it.
        let title = try? await store.read(.short) { try SignInPolicies.policy(of: tenant, in: $0).title }
        let name = title.flatMap { $0.isEmpty ? nil : $0 } ?? tenant.container.rawValue
        return AccountMail(
            kind: kind, address: address, tenant: tenant, title: name, language: place.language,
            link: link, lifetimeMilliseconds: Self.linkMilliseconds)
    }

    /// Makes a link by which somebody makes an account, whatever the container's policy is: for operators.
    ///
    /// - Returns: the path of the link below the server's address; nil where there is an account of the address, which is a
    ///   user of the container from now on.
    /// - Throws: `BAD_REQUEST` for what is not an address.
    public func invite(_ text: String, to tenant: Tenant, language: String = "en") async throws -> String? {
        guard let address = MailAddress(text) else {
            throw ServiceError(.badRequest, "'\(text.prefix(100))' is not an email address.")
        }
        let now = environment.now()
        let code = AccessToken.make(random: environment.random(32))
        let isNew = try await store.write { [self] store in
            if let account = try store.account(withAddress: address.text) {
                _ = try makeUser(account, in: tenant, now: now, store)
                return false
            }
            try store.insert(
                AccountLinkRow(
                    purpose: .signUp, account: nil, address: address.text, tenant: tenant, apiToken: nil,
                    createdAt: now, expiresAt: now + Self.invitationMilliseconds),
                digest: AccessToken.digest(code))
            return true
        }
        return isNew ? Self.path(code, in: tenant, language: language) : nil
    }

    /// What a link is for; nil for one that is unknown, used or too old. Looking does not use it up.
    ///
    /// - Throws: `StorageError` where the store cannot be read.
    public func link(_ code: String) async throws -> AccountLinkRow? {
        guard code.utf8.count == 64 else { return nil }
        let now = environment.now()
        return try await store.read(.short) { store in
            guard let row = try store.accountLink(digest: AccessToken.digest(code)), row.expiresAt > now,
                [.signUp, .reset, .address].contains(row.purpose)
            else { return nil }
            return row
        }
    }

    /// Chooses a password by a link, which is used up by that, and with it all links of the address. Sessions end, providers
    /// are disconnected, and the owner of an account that was there is told.
    ///
    /// - Returns: the account as a user of the link's tenant; nil where the link is not good any more.
    /// - Throws: ``PasswordRules/Refusal``; `TRY_AGAIN_LATER`.
    public func choosePassword(
        _ password: String, by code: String, at place: Place
    ) async throws -> (account: AccountRow, user: UserRow)? {
        guard let link = try await link(code), link.purpose != .address else { return nil }
        try examine(password, of: link.address, at: place)
        let id = link.account ?? environment.random(16).hex
        let credential = try await credential(password, of: id)
        let now = environment.now()
        let digest = AccessToken.digest(code)
        let done = try await store.write { [self] store -> (account: AccountRow, user: UserRow)? in
            // Two may use one link at once; the writing thread lets in the first.
            guard let link = try store.accountLink(digest: digest), link.expiresAt > now else { return nil }
            try store.deleteAccountLink(digest: digest)
            try store.deleteAccountLinks(to: link.address, of: link.account)
            let account: AccountRow
            if let known = link.account {
                guard let row = try store.account(known), !row.isDisabled else { return nil }
                account = row
            } else {
                guard try store.account(withAddress: link.address) == nil else { return nil }
                account = AccountRow(id: id, address: link.address, createdAt: now)
                try store.store(account)
            }
            try store.store(credential)
            try store.endSessions(of: account.id)
            if link.account != nil {
                try Self.forgetWrongCodes(of: account.id, store)
                try Self.disconnectAll(account, at: link.tenant, now, store)
            }
            try store.insert(
                Self.deed(
                    link.account == nil ? "account.make" : "account.reset", link.address, link.tenant, now))
            if link.account == nil {
                return (account, try makeUser(account, in: link.tenant, now: now, store))
            }
            let user = try Self.user(of: account.id, in: link.tenant, store)
            let isAdmitted = try MailAddress(link.address).map {
                try SignInPolicies.policy(of: link.tenant, in: store).admits($0)
            }
            if user == nil, isAdmitted == true {
                return (account, try makeUser(account, in: link.tenant, now: now, store))
            }
            // The password is changed; that the container lets nobody in is said when signing in.
            return user.map { (account, $0) }
        }
        sessions.forget()
        if done != nil, link.account != nil, let address = MailAddress(link.address) {
            await notify(.passwordReset, address, at: place)
        }
        return done
    }

    /// Takes all providers from an account whose owner came by a mailed link: somebody else may have connected them, or made
    /// the account with an address of which a provider was wrong.
    private static func disconnectAll(
        _ account: AccountRow, at tenant: Tenant, _ now: Int64, _ store: any StoreWriter
    ) throws {
        for row in try store.credentials(of: account.id) where row.kind == .provider {
            try store.deleteCredential(.provider, named: row.name)
            try store.insert(
                deed("account.disconnect", "\(account.address) \(issuer(of: row))", tenant, now))
        }
    }

    /// Mails a link to a new address, for whoever knows the password.
    ///
    /// - Throws: `BAD_REQUEST` for what is not an address; `ACCESS_DENIED` where no link can be mailed; `AUTHENTICATION_FAILED`;
    ///   `THROTTLED`.
    public func requestAddress(
        _ text: String, for account: AccountRow, password: String, at place: Place, client: Client
    ) async throws {
        guard let address = MailAddress(text) else {
            throw ServiceError(.badRequest, "'\(text.prefix(100))' is not an email address.")
        }
        _ = try place.linkBase
        try await prove(password, of: account, client: client)
        guard mails.admit(from: client, now: environment.now()),
            pending.run(
                for: client.network,
                { [self] in
                    await noting { try await mailAddressLink(to: address, for: account, at: place) }
                })
        else { throw ServiceError.tooManyAttempts(milliseconds: 60_000) }
    }

    func mailAddressLink(to address: MailAddress, for account: AccountRow, at place: Place) async throws {
        let now = environment.now()
        guard mails.admit(to: address, of: place.tenant, now: now) else { return }
        let code = AccessToken.make(random: environment.random(32))
        let isFree = try await store.write { store in
            guard try store.account(withAddress: address.text) == nil else { return false }
            try store.insert(
                AccountLinkRow(
                    purpose: .address, account: account.id, address: address.text, tenant: place.tenant,
                    apiToken: place.apiToken, createdAt: now, expiresAt: now + Self.linkMilliseconds),
                digest: AccessToken.digest(code))
            return true
        }
        guard isFree else { return }
        await tell(
            .address, address, at: place,
            link: try place.linkBase + Self.path(code, in: place.tenant, language: place.language))
    }

    /// Gives an account the address that a link was mailed to. The link is used up; the address before is told.
    ///
    /// - Returns: false where the link is not good any more, or somebody else has the address by now.
    /// - Throws: `StorageError` where the store cannot be written.
    public func confirmAddress(by code: String, at place: Place) async throws -> Bool {
        let digest = AccessToken.digest(code)
        let now = environment.now()
        let before = try await store.write { store -> String? in
            guard let link = try store.accountLink(digest: digest), link.expiresAt > now,
                link.purpose == .address, let id = link.account, var account = try store.account(id)
            else { return nil }
            try store.deleteAccountLink(digest: digest)
            guard try store.account(withAddress: link.address) == nil else { return nil }
            let before = account.address
            account.address = link.address
            try store.store(account)
            try store.deleteAccountLinks(to: before, of: id)
            for user in try store.users(ofAccount: id) {
                let label = try Self.freeLabel(
                    link.address, besides: user.recordName, in: user.tenant, store)
                try store.setLabel(label, ofUserNamed: user.recordName, tenant: user.tenant)
            }
            try store.insert(
                Self.deed("account.address", "\(before) -> \(link.address)", link.tenant, now))
            return before
        }
        guard let before else { return false }
        if let address = MailAddress(before) { await notify(.addressChanged, address, at: place) }
        return true
    }
}

extension Accounts.Place {
    /// What a link in a mail begins with.
    fileprivate var linkBase: String {
        get throws(ServiceError) {
            if let baseURL { return baseURL }
            throw ServiceError(
                .accessDenied,
                "No link is mailed: links begin with the server's address, and the address of this request is not one of its own.",
                remedy: "Start the server with --public-url and the address that people use.")
        }
    }
}
