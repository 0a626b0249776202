import Crypto
public import RecordModel
public import RecordStorage
import RecordWire

/// Signing in with a provider: to an account that is connected with it, or to a new one.
///
/// An identity is one of an account by issuer and subject and by nothing else. That two have the same mail address connects
/// nothing: whoever has the account says so, on its page.
extension Accounts {
    /// A browser on its way to a provider.
    public struct Departure: Sendable {
        /// Where to send it.
        public var address: String
        /// What it keeps until it comes back.
        public var cookie: String
    }

    /// What a browser that came back had set out for.
    public struct Return: Sendable {
        /// Whether it stays signed in.
        public var keeps: Bool
        /// The session whose account is to be connected; nil where somebody signs in.
        public var session: String?
        /// The query of the page that it came from.
        public var query: String
        var visit: ProviderVisit
        /// What the provider told besides its answer.
        var name: ProvidedName?
    }

    /// How long a browser may stay with a provider.
    public static let visitSeconds: Int64 = 900
    /// The longest query that is carried along, in bytes.
    private static let longestQuery = 2_000
    /// The longest code that a provider may give, in bytes.
    private static let longestCode = 4_096

    /// The providers of a container, by name.
    ///
    /// - Throws: `StorageError` where the store cannot be read.
    public func providers(of tenant: Tenant) async throws -> [SignInProviderRow] {
        try await store.read(.short) { try $0.signInProviders(of: tenant) }
    }

    /// Sends a browser to a provider.
    ///
    /// - Parameters:
    ///   - provider: to which one.
    ///   - redirect: where the provider sends it back to.
    ///   - query: of the page that it comes from.
    ///   - keeps: whether it is to stay signed in.
    ///   - session: the session whose account is to be connected; nil to sign in.
    /// - Throws: `ProviderFailure` where the provider cannot be reached, or does not describe itself as one.
    public func depart(
        to provider: SignInProviderRow, redirect: String, query: String, keeps: Bool, session: String?
    ) async throws -> Departure {
        let cookie = environment.random(32).hex
        var bytes = TokenBytes()
        bytes.write(environment.now() + Self.visitSeconds * 1_000)
        bytes.write(keeps ? 1 : 0)
        bytes.write(StorageValue.text(session ?? ""))
        bytes.write(StorageValue.text(query.utf8.count <= Self.longestQuery ? query : ""))
        let state = SealedToken.seal(
            bytes.bytes, for: Self.owner(cookie, provider.name, provider.tenant), in: .address, secret: secret
        )
        let visit = visit(cookie, redirect, state)
        return Departure(address: try await identities.address(of: provider, for: visit), cookie: cookie)
    }

    /// The state belongs to one browser, one provider and one container.
    private static func owner(_ cookie: String, _ provider: String, _ tenant: Tenant) -> [UInt8] {
        Array("visit \(tenant) \(provider) \(cookie)".utf8)
    }

    private func visit(_ cookie: String, _ redirect: String, _ state: String) -> ProviderVisit {
        ProviderVisit(
            redirect: redirect, state: state, nonce: code("provider nonce", cookie, 16).hex,
            verifier: code("provider verifier", cookie, 32).hex)
    }

    /// What a browser had set out for; nil for one that did not, or that was away for too long.
    ///
    /// - Parameters:
    ///   - state: what it brought back.
    ///   - cookie: what it kept.
    ///   - name: the provider's name in the address that it came back to.
    ///   - tenant: whose page that is.
    ///   - redirect: the address.
    ///   - carriedName: what ``carriedName(ofUser:besides:)`` gave for the address; nil where it gave nothing.
    public func arrival(
        _ state: String, cookie: String, from name: String, in tenant: Tenant, redirect: String,
        carriedName: String? = nil
    ) -> Return? {
        guard cookie.utf8.count == 64,
            let payload = SealedToken.open(state, for: Self.owner(cookie, name, tenant), secret: secret)
        else { return nil }
        var bytes = TokenBytes(payload)
        guard let end = bytes.readInt(), end > environment.now(), let keeps = bytes.readInt(),
            case .text(let session)? = bytes.readValue(), case .text(let query)? = bytes.readValue()
        else { return nil }
        return Return(
            keeps: keeps == 1, session: session.isEmpty ? nil : session, query: query,
            visit: visit(cookie, redirect, state),
            name: providedName(carried: carriedName, besides: state))
    }

    private func identity(
        _ code: String, _ provider: SignInProviderRow, _ arrival: Return
    ) async throws -> ProvidedIdentity {
        guard code.utf8.count <= Self.longestCode else {
            throw ServiceError(.authenticationFailed, "The provider's code is too long.")
        }
        let identity = try await identities.identity(at: provider, code: code, for: arrival.visit)
        guard identity.issuer == provider.issuer else {
            throw ServiceError(.authenticationFailed, "The identity is another provider's.")
        }
        return identity
    }

    /// The account that is connected with an identity, or a new one, as a user of the tenant.
    ///
    /// - Throws: ``ProviderRefusal/addressTaken``; `ACCESS_DENIED` where the container does not let the account in;
    ///   `AUTHENTICATION_FAILED` for one that is disabled and for another provider's identity; what
    ///   ``IdentityProviders/identity(at:code:for:)`` throws; `StorageError`.
    public func signIn(
        with provider: SignInProviderRow, code: String, after arrival: Return
    ) async throws -> (account: AccountRow, user: UserRow) {
        let identity = try await identity(code, provider, arrival)
        let tenant = provider.tenant
        let now = environment.now()
        return try await store.write { [self] store in
            let policy = try SignInPolicies.policy(of: tenant, in: store)
            if let known = try store.credential(.provider, named: identity.name),
                let account = try store.account(known.account)
            {
                guard !account.isDisabled else {
                    throw ServiceError(.authenticationFailed, "The account is disabled.")
                }
                if let user = try Self.user(of: account.id, in: tenant, store) {
                    return (account, try Self.keep(arrival.name, from: provider, of: user, store))
                }
                guard MailAddress(account.address).map({ policy.admits($0) }) == true else {
                    throw Self.notAdmitted
                }
                let user = try makeUser(account, in: tenant, now: now, store)
                return (account, try Self.keep(arrival.name, from: provider, of: user, store))
            }
            guard policy.admission == .open || identity.address.map({ policy.admits($0) }) == true else {
                throw Self.notAdmitted
            }
            let address = identity.address ?? Self.madeUpAddress(of: identity)
            guard try store.account(withAddress: address.text) == nil else {
                throw ProviderRefusal.addressTaken
            }
            let account = AccountRow(
                id: environment.random(16).hex, address: address.text, createdAt: now)
            try store.store(account)
            try store.store(Self.credential(identity, of: account.id, now))
            try store.insert(
                Self.deed("account.make", "\(address.text) \(provider.name)", tenant, now))
            let user = try makeUser(account, in: tenant, now: now, store)
            return (account, try Self.keep(arrival.name, from: provider, of: user, store))
        }
    }

    private static let notAdmitted = ServiceError(
        .accessDenied, "This account is not allowed to sign in to this app.",
        remedy: "Ask whoever runs it for an invitation.")

    private static func credential(
        _ identity: ProvidedIdentity, of account: String, _ now: Int64
    ) -> CredentialRow {
        CredentialRow(
            account: account, kind: .provider, name: identity.name, secret: [], createdAt: now)
    }

    /// Of an account whose provider tells no verified one: nobody can have it (RFC 2606, 2).
    private static func madeUpAddress(of identity: ProvidedIdentity) -> MailAddress {
        MailAddress(unreachable: String(AccessToken.digest(identity.name).hex.prefix(32)))
    }

    // MARK: The account's page

    /// How somebody can sign in to an account.
    public struct Ways: Sendable {
        /// Whether there is a password.
        public var hasPassword: Bool
        /// The issuers that are connected.
        public var issuers: Set<String>
    }

    /// How somebody can sign in to an account.
    ///
    /// - Throws: `StorageError` where the store cannot be read.
    public func ways(into account: AccountRow) async throws -> Ways {
        let rows = try await store.read(.short) { try $0.credentials(of: account.id) }
        return Ways(
            hasPassword: rows.contains { $0.kind == .password },
            issuers: Set(rows.filter { $0.kind == .provider }.map(Self.issuer)))
    }

    static func issuer(of row: CredentialRow) -> String {
        row.name.split(separator: " ").first.map(String.init) ?? ""
    }

    /// Connects an identity with the account of a session.
    ///
    /// - Throws: ``ProviderRefusal/connectedElsewhere``; `AUTHENTICATION_FAILED` for an account that is disabled and for another
    ///   provider's identity; what ``IdentityProviders/identity(at:code:for:)`` throws; `StorageError`.
    public func connect(
        _ provider: SignInProviderRow, code: String, after arrival: Return, to account: AccountRow,
        at place: Place
    ) async throws {
        let identity = try await identity(code, provider, arrival)
        let now = environment.now()
        let isNew = try await store.write { store in
            if let known = try store.credential(.provider, named: identity.name) {
                guard known.account == account.id else { throw ProviderRefusal.connectedElsewhere }
                return false
            }
            guard try store.account(account.id)?.isDisabled == false else {
                throw ServiceError(.authenticationFailed, "The account is disabled.")
            }
            try store.store(Self.credential(identity, of: account.id, now))
            if let user = try Self.user(of: account.id, in: place.tenant, store) {
                _ = try Self.keep(arrival.name, from: provider, of: user, store)
            }
            try store.insert(
                Self.deed("account.connect", "\(account.address) \(provider.name)", place.tenant, now))
            return true
        }
        if isNew, let address = MailAddress(account.address) {
            await notify(.connected, address, at: place)
        }
    }

    /// Takes away what an account has of a provider.
    ///
    /// - Throws: ``ProviderRefusal/lastWay`` where nobody could sign in any more; `StorageError`.
    public func disconnect(
        _ provider: SignInProviderRow, from account: AccountRow, at place: Place
    ) async throws {
        let now = environment.now()
        try await store.write { store in
            let rows = try store.credentials(of: account.id).filter {
                $0.kind == .password || $0.kind == .provider
            }
            let gone = rows.filter { $0.kind == .provider && Self.issuer(of: $0) == provider.issuer }
            guard !gone.isEmpty else { return }
            guard gone.count < rows.count else { throw ProviderRefusal.lastWay }
            for row in gone { try store.deleteCredential(.provider, named: row.name) }
            try store.insert(
                Self.deed("account.disconnect", "\(account.address) \(provider.name)", place.tenant, now))
        }
    }
}
