import Crypto
public import RecordModel
public import RecordStorage
import RecordWire
import Synchronization

/// Accounts of people who sign in by themselves: one for an installation, which each container knows as another user.
///
/// Who asks for a link is told the same within the same time whether the address is known or not: the answer comes before
/// anything is looked up. Signing in stretches a password in either case.
public final class Accounts: Sendable {
    /// Who asks, for limits and for lists of sessions.
    public struct Client: Sendable {
        /// What stands for an address that is not known: of this machine, or of a proxy that does not tell it.
        public static let unknownAddress = "local"

        /// The address of the network; one text for all of an IPv6 network.
        public var address: String
        /// The network around it, of which somebody may have all addresses.
        public var network: String
        /// The browser or the app, in words for people.
        public var label: String
        /// The cookie that ``Accounts/knownBrowser(of:)`` made for the browser; nil for none.
        public var knownBrowser: String?
        /// The session that the browser has, which was looked up; nil for none.
        public var session: String?

        /// Makes a client; without a network, the address is one of its own.
        public init(
            address: String, network: String? = nil, label: String, knownBrowser: String? = nil,
            session: String? = nil
        ) {
            self.address = address
            self.network = network ?? address
            self.label = label
            self.knownBrowser = knownBrowser
            self.session = session
        }
    }

    /// Where a person is, and in which language.
    public struct Place: Sendable {
        /// Whose sign-in page it is.
        public var tenant: Tenant
        /// The API token of the app that the person came from.
        public var apiToken: String?
        /// Two letters.
        public var language: String
        /// The server's address, without a `/` at its end, which links in mails begin with; nil where it is not known for sure, and no
        /// link is mailed.
        public var baseURL: String?
        /// The link to something shared that the person came from, and goes back to; nil for none.
        public var share: String?

        /// Makes a place.
        public init(
            tenant: Tenant, apiToken: String?, language: String, baseURL: String?, share: String? = nil
        ) {
            self.share = share
            self.tenant = tenant
            self.apiToken = apiToken
            self.language = language
            self.baseURL = baseURL
        }
    }

    let store: any RecordStore
    let secret: ServiceSecret
    let environment: ServiceEnvironment
    let stretcher: any PasswordStretcher
    let cost: StretchingCost
    let refused: RefusedPasswords
    /// What carries mails away.
    public let post: any AccountPost
    /// What asks providers who somebody is.
    let identities: any IdentityProviders
    /// The sessions that come of signing in.
    public let sessions: Sessions
    let attempts = AttemptLimits()
    let mails = MailLimits()
    let deviceLimits = DeviceLimits()
    let devicePace = DevicePace()
    let pending = PendingMails()

    /// How long the link of a mail is good, in milliseconds.
    public static let linkMilliseconds: Int64 = 3_600_000
    /// How long an invitation is good.
    public static let invitationMilliseconds: Int64 = 7 * 24 * 3_600_000

    /// Makes accounts over a store.
    public init(
        store: any RecordStore, secret: ServiceSecret, environment: ServiceEnvironment,
        stretcher: any PasswordStretcher, cost: StretchingCost = .standard, post: any AccountPost,
        identities: any IdentityProviders = NoIdentityProviders(),
        refused: RefusedPasswords = RefusedPasswords(),
        authenticated service: RecordService? = nil
    ) {
        self.store = AuditedStore(store)
        self.secret = secret
        self.environment = environment
        self.stretcher = stretcher
        self.cost = cost
        self.refused = refused
        self.post = post
        self.identities = identities
        sessions =
            service?.authenticator.sessions ?? Sessions(store: store, environment: environment)
    }

    // MARK: Signing in

    /// The account whose address and password these are, as a user of the tenant.
    ///
    /// - Throws: `THROTTLED` with the seconds to wait after attempts that failed; `AUTHENTICATION_FAILED`, the same for an
    ///   unknown address and a wrong password; `ACCESS_DENIED` where the container does not let the account in.
    public func signIn(
        address text: String, password: String, at place: Place, client: Client
    ) async throws -> (account: AccountRow, user: UserRow) {
        let address = MailAddress(text)
        let name = address?.text ?? ""
        let attempt = try beginAttempt(at: name, by: client)
        let (found, hash) = try await store.read(.short) { store in
            let account = try store.account(withAddress: name)
            return (account, try Self.password(of: account?.id ?? "", in: store))
        }
        let isRight = try await isRight(password, hash, of: name, for: client)
        guard isRight, let account = found, let address, !account.isDisabled else {
            throw ServiceError(.authenticationFailed, "The address or the password is wrong.")
        }
        succeed(attempt)
        return (account, try await user(of: account, address: address, in: place.tenant))
    }

    /// Stretches the password in any case, with a made-up salt where there is none to compare with. That is made in any case,
    /// and read as a stored one is: who has no account is answered no sooner.
    private func isRight(
        _ password: String, _ hash: PasswordHash?, of name: String, for client: Client
    ) async throws -> Bool {
        let spare = PasswordHash(
            cost: cost, salt: code("no salt", name, 16), hash: Array(repeating: 0, count: 32))
        let known = hash ?? PasswordHash(encoded: spare.encoded) ?? spare
        let isUsable = password.unicodeScalars.count <= PasswordRules.mostCharacters
        let found = try await stretcher.stretch(
            isUsable ? PasswordRules.bytes(of: password) : [], salt: known.salt, cost: known.cost,
            for: client.stretching(at: name))
        return ConstantTime.areEqual(found, known.hash) && hash != nil && isUsable
    }

    static func password(of account: String, in reader: any StoreReader) throws -> PasswordHash? {
        try reader.credentials(of: account).first { $0.kind == .password }
            .flatMap { PasswordHash(encoded: $0.secret) }
    }

    /// The account as a user of a container, made where the container lets it in for the first time.
    private func user(of account: AccountRow, address: MailAddress, in tenant: Tenant) async throws -> UserRow
    {
        if let user = try await store.read(.short, { try Self.user(of: account.id, in: tenant, $0) }) {
            return user
        }
        let now = environment.now()
        return try await store.write { [self] store in
            guard try SignInPolicies.policy(of: tenant, in: store).admits(address) else {
                throw ServiceError(
                    .accessDenied, "This account is not allowed to sign in to this app.",
                    remedy: "Ask whoever runs it for an invitation.")
            }
            return try makeUser(account, in: tenant, now: now, store)
        }
    }

    /// The account as a user of a container; nil where it has not been there.
    static func user(of account: String, in tenant: Tenant, _ reader: any StoreReader) throws -> UserRow? {
        try reader.users(ofAccount: account).first { $0.tenant == tenant }
    }

    func makeUser(
        _ account: AccountRow, in tenant: Tenant, now: Int64, _ store: any StoreWriter
    ) throws -> UserRow {
        let users = try store.users(ofAccount: account.id)
        if let user = users.first(where: { $0.tenant == tenant }) { return user }
        // The name in the container's other environment, also where the installation's secret is another one by now.
        let name =
            users.first { $0.tenant.container == tenant.container }?.recordName
            ?? recordName(of: account.id, in: tenant)
        let user = UserRow(
            tenant: tenant, recordName: name,
            label: try Self.freeLabel(account.address, besides: name, in: tenant, store), createdAt: now,
            account: account.id)
        try store.insert(user)
        return user
    }

    /// The address; with a part of the record name where an operator has made a user of that name.
    static func freeLabel(
        _ address: String, besides name: String, in tenant: Tenant, _ store: any StoreReader
    ) throws -> String {
        let holder = try store.userName(labelled: address, of: tenant)
        return holder != nil && holder != name ? "\(address) (\(name.dropFirst().prefix(8)))" : address
    }

    /// The name of an account in a container, which tells nothing of its name in another one.
    func recordName(of account: String, in tenant: Tenant) -> String {
        "_" + code("user record name", tenant.container.rawValue + "\n" + account, 16).hex
    }

    /// Bytes that only this installation can make of some text.
    func code(_ purpose: String, _ text: String, _ count: Int) -> [UInt8] {
        var mac = secret.code
        mac.update(data: Array("\(purpose)\n\(text)".utf8))
        return Array(mac.finalize().prefix(count))
    }

    // MARK: Passwords

    /// Gives an account another password, for whoever knows the one before. All sessions but one end.
    ///
    /// - Throws: `AUTHENTICATION_FAILED`, `THROTTLED`; ``PasswordRules/Refusal``.
    public func changePassword(
        of account: AccountRow, from old: String, to new: String, keeping session: String?, at place: Place,
        client: Client
    ) async throws {
        try await prove(old, of: account, client: client)
        try examine(new, of: account.address, at: place)
        let credential = try await credential(new, of: account.id)
        let now = environment.now()
        try await store.write { store in
            try store.store(credential)
            try store.deleteAccountLinks(to: account.address, of: account.id)
            try store.endSessions(of: account.id) { $0.id != session }
            try store.insert(Self.deed("account.password", account.address, place.tenant, now))
        }
        sessions.forget()
        if let address = MailAddress(account.address) {
            await notify(.passwordChanged, address, at: place)
        }
    }

    /// Checks whether a password is an account's, as signing in does. A session of the client is one of the account.
    func prove(_ password: String, of account: AccountRow, client: Client) async throws {
        let attempt = try beginAttempt(at: account.address, by: client, session: client.session)
        let hash = try await store.read(.short) { try Self.password(of: account.id, in: $0) }
        guard try await isRight(password, hash, of: account.address, for: client) else {
            throw ServiceError(.authenticationFailed, "The password is wrong.")
        }
        succeed(attempt)
    }

    func credential(_ password: String, of account: String) async throws -> CredentialRow {
        let salt = environment.random(16)
        let hash = try await stretcher.stretch(
            PasswordRules.bytes(of: password), salt: salt, cost: cost, for: StretchingParty(account: account))
        return CredentialRow(
            account: account, kind: .password, name: account,
            secret: PasswordHash(cost: cost, salt: salt, hash: hash).encoded, createdAt: environment.now())
    }

    /// Whether a password can be somebody's.
    ///
    /// - Throws: ``PasswordRules/Refusal``; what the operator's list throws.
    func examine(_ password: String, of address: String, at place: Place) throws {
        let context = [address, place.tenant.container.rawValue] + refused.words
        if let refusal = PasswordRules.refusal(of: password, context: context) { throw refusal }
        if try refused.isListed(password) { throw PasswordRules.Refusal.common }
    }

    static func deed(_ action: String, _ subject: String, _ tenant: Tenant, _ now: Int64) -> AuditRow {
        AuditRow(
            at: now, operatorName: Sessions.auditName, action: action, tenant: tenant, subject: subject,
            requestID: "")
    }
}

extension ServiceError {
    static func tooManyAttempts(milliseconds: Int64) -> ServiceError {
        let seconds = Int((milliseconds + 999) / 1_000)
        var error = ServiceError(
            .throttled, "Too many attempts failed; the next one is possible in \(seconds) s.")
        error.retryAfterSeconds = seconds
        return error
    }
}
