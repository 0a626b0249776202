import Crypto
import RecordModel
import RecordStorage
import Synchronization

/// Finds out who a request comes from.
///
/// The store knows digests of tokens, never the tokens. A token that was found is remembered for a moment, so
/// that a request costs no read. The store says when something was taken away, on this node or another one, and then all is
/// forgotten. Where it cannot say so, as of another process on an SQLite file, a revoked one may be good for
/// ``rememberedMilliseconds`` more.
final class Authenticator: Sendable {
    /// A class, since each request gets it out of the dictionary and a row is large to copy.
    private final class Remembered: Sendable {
        let row: TokenRow
        let digest: [UInt8]
        /// The digest of the API token for whose app a session is; nil for all that is bound to none.
        let app: [UInt8]?
        let until: Int64

        init(_ found: Found, digest: [UInt8], until: Int64) {
            row = found.row
            app = found.app
            self.digest = digest
            self.until = until
        }
    }

    private struct Found: Sendable {
        var row: TokenRow
        var app: [UInt8]?
    }

    private let store: any RecordStore
    private let remembered = Mutex<[String: Remembered]>([:])
    private let rememberedRoles = Mutex<[Member: RememberedRoles]>([:])
    /// How often all was forgotten: what was read before that is not remembered after it.
    private let revocations = Atomic(0)

    private struct Member: Hashable {
        var tenant: Tenant
        var recordName: String
    }

    private struct RememberedRoles {
        var roles: [String]
        var until: Int64
    }

    static let rememberedMilliseconds: Int64 = 5_000
    /// The most tokens remembered; above it all are forgotten, which costs a read each.
    private static let tokensRemembered = 10_000
    /// Longer texts are no tokens of ours and are not hashed.
    private static let longestToken = 512

    private let replays: ReplayMemory
    private let notedUses = Mutex<[[UInt8]: Int64]>([:])

    /// How precisely the last use of a key is noted.
    private static let useMilliseconds: Int64 = 60_000

    let sessions: Sessions

    init(store: any RecordStore, environment: ServiceEnvironment) {
        self.store = store
        replays = ReplayMemory(start: environment.now())
        sessions = Sessions(store: store, environment: environment)
        sessions.onEnd { [weak self] in self?.forget() }
        store.listenForRevocations { [weak self] in self?.sessions.forget() }
    }

    private func forget() {
        revocations.add(1, ordering: .sequentiallyConsistent)
        remembered.withLock { $0.removeAll(keepingCapacity: true) }
        rememberedRoles.withLock { $0.removeAll(keepingCapacity: true) }
    }

    private var revocationCount: Int { revocations.load(ordering: .sequentiallyConsistent) }

    /// - Parameters:
    ///   - body: what a signature has to be good for; nil before the body is there, when nobody is known yet by a signature.
    ///   - isRenewal: whether an answer that goes on is looked at again, with what it began with.
    /// - Returns: the caller, whether another token is due, and with what ends what the caller registers.
    /// - Throws: `AUTHENTICATION_FAILED` when the API token is missing, unknown, expired or of another tenant, or the
    ///   signature is not good; `AUTHENTICATION_REQUIRED` when the user has to sign in again; ``Sessions/ReplacedToken`` for
    ///   a renewal.
    func caller(
        _ credentials: Credentials, body: [UInt8]?, tenant: Tenant, isRenewal: Bool = false, now: Int64
    ) async throws -> (caller: Caller, isTokenDue: Bool, origin: ReceiverOrigin?) {
        if let signature = credentials.signature {
            let (caller, key) = try await caller(of: signature, body: body, tenant: tenant, now: now)
            return (caller, false, .tokens([key]))
        }
        guard let apiToken = credentials.apiToken, !apiToken.isEmpty else {
            throw ServiceError(
                .authenticationFailed, "No API token was sent.",
                remedy: "Add '?ckAPIToken=…'; 'stratus token create' makes one.")
        }
        guard let app = try await known(apiToken, now: now), app.row.kind == .api, app.row.tenant == tenant
        else {
            throw ServiceError(
                .authenticationFailed, "The API token is not valid for \(tenant).",
                remedy:
                    "Check the container and the environment, or make a token with 'stratus token create'.")
        }
        guard let webToken = credentials.webAuthToken, !webToken.isEmpty else {
            return (.anonymous, false, nil)
        }
        guard let known = try await known(webToken, now: now) else { throw Self.endedToken }
        let row = known.row
        guard row.kind == .web, row.tenant == tenant, let user = row.user else {
            throw ServiceError(
                .authenticationFailed, "The web auth token is not valid for \(tenant).",
                remedy: "Sign in again, or make a token with 'stratus token create --user NAME'.")
        }
        // A token that an operator made stands for itself.
        guard let succession = row.succession else {
            return (.user(user), false, .tokens([known.digest, app.digest]))
        }
        // An API token is public, so who has one says which app asks: another app's session is none of its own.
        guard known.app == nil || known.app == app.digest else { throw Self.foreignToken }
        let use = try await sessions.use(row, digest: known.digest, isRenewal: isRenewal, now: now)
        // What is remembered is from before its first use was noted.
        if succession.previous != nil { _ = remembered.withLock { $0.removeValue(forKey: webToken) } }
        switch use {
        case .good: return (.user(user), false, .session(succession.session))
        case .due: return (.user(user), true, .session(succession.session))
        case .stolen: throw Self.endedToken
        case .replaced: throw Sessions.ReplacedToken()
        }
    }

    private static let endedToken =
        // Ended, or taken back: nothing is wrong with the request but its age. Clients begin to sign in on this
        // code, as the reference of CloudKit Web Services describes it for users/caller.
        ServiceError(
            .authenticationRequired, "request needs authorization",
            remedy:
                "The web auth token has expired or is unknown: sign in again, or make one with 'stratus token create --user NAME'."
        )

    private static let foreignToken = ServiceError(
        .authenticationRequired, "The web auth token was given to another app, with another API token.",
        remedy: "Send it with the API token that the user signed in with, or have the user sign in again.")

    /// The roles that operators gave to a caller, of those that the schema declares; they are remembered as tokens are.
    func roles(
        of caller: Caller, declared: [String], tenant: Tenant, now: Int64
    ) async throws -> [String] {
        // Most schemas declare none, and then there is nothing to read.
        guard !declared.isEmpty, case .user(let name) = caller else { return [] }
        let member = Member(tenant: tenant, recordName: name)
        if let known = rememberedRoles.withLock({ $0[member] }), known.until > now { return known.roles }
        let count = revocationCount
        let given = try await store.read(.short) { try $0.user(named: name, of: tenant)?.roles ?? [] }
        let roles = given.filter(declared.contains)
        rememberedRoles.withLock { remembered in
            guard count == revocationCount else { return }
            if remembered.count >= Self.tokensRemembered { remembered.removeAll(keepingCapacity: true) }
            remembered[member] = RememberedRoles(roles: roles, until: now + Self.rememberedMilliseconds)
        }
        return roles
    }

    /// Whether the app of a request may ask for people. A server-to-server key may not: it is nobody's app.
    func asksForPeople(_ credentials: Credentials, now: Int64) async throws -> Bool {
        guard credentials.signature == nil, let token = credentials.apiToken else { return false }
        return try await known(token, now: now)?.row.asksForPeople ?? false
    }

    private func caller(
        of request: RequestSignature, body: [UInt8]?, tenant: Tenant, now: Int64
    ) async throws -> (caller: Caller, key: [UInt8]) {
        let head = try SignatureHead(request)
        guard abs(head.date - now) <= SignatureHead.skewMilliseconds else {
            throw SignatureHead.failure(
                "The signature is dated more than \(SignatureHead.skewMilliseconds / 60_000) minutes from the server's time.",
                "Set the clock of the machine that signs, and sign each request when it is sent.")
        }
        guard
            let row = try await known(remembered: "key \(head.key.hex)", now: now, digest: { head.key })?.row,
            row.kind == .key, row.tenant == tenant, let user = row.user, let bytes = row.publicKey,
            let key = try? P256.Signing.PublicKey(x963Representation: bytes)
        else {
            throw SignatureHead.failure(
                "The key is not valid for \(tenant).",
                "Check the container, the environment and the key's id; 'stratus key list' shows those that are good."
            )
        }
        // Nobody is let in before the body is there; until then only the address has a share.
        guard let body else { return (.anonymous, head.key) }
        guard head.isValid(for: key, body: body) else {
            throw SignatureHead.failure(
                "The signature does not fit the request.",
                "Sign date, Base64 of the body's SHA-256 and path, with ':' between them; nothing may change them on the way."
            )
        }
        switch replays.note(
            Array(head.signature.rawRepresentation.prefix(32)), key: head.key, date: head.date, now: now)
        {
        case .new: break
        case .used:
            throw SignatureHead.failure(
                "The signature was used before.",
                "Sign each request by itself, with the time at which it is sent."
            )
        case .tooOld:
            throw SignatureHead.failure(
                "The signature is from before the requests that this server remembers.",
                "Sign the request again.")
        case .early(let seconds):
            var error = ServiceError(
                .tryAgainLater, "The request was signed before this server started, or in the same second.",
                remedy: "Sign it again.")
            error.retryAfterSeconds = seconds
            throw error
        case .full:
            var error = ServiceError(
                .throttled, "The server remembers as many signatures as it can.",
                remedy: "Send the request later.")
            error.retryAfterSeconds = 1
            throw error
        }
        noteUse(of: head.key, before: row.usedAt, now: now)
        return (.user(user), head.key)
    }

    /// Notes that a key was used, beside the request and once a minute at most.
    private func noteUse(of key: [UInt8], before: Int64?, now: Int64) {
        let isDue = notedUses.withLock { noted in
            guard now - max(noted[key] ?? 0, before ?? 0) >= Self.useMilliseconds else { return false }
            noted[key] = now
            return true
        }
        guard isDue else { return }
        Task { [store] in
            // For people who look at lists of keys; a full disk must not refuse a read for it.
            try? await store.write { try $0.noteUse(ofToken: key, at: now) }
        }
    }

    private func known(_ token: String, now: Int64) async throws -> Remembered? {
        guard token.utf8.count <= Self.longestToken else { return nil }
        return try await known(remembered: token, now: now) { AccessToken.digest(token) }
    }

    private func known(
        remembered token: String, now: Int64, digest: () -> [UInt8]
    ) async throws -> Remembered? {
        if let known = remembered.withLock({ $0[token] }), known.until > now { return known }
        let digest = digest()
        let count = revocationCount
        guard let found = try await store.read(.short, { try Self.found(digest, $0) }) else { return nil }
        if let end = found.row.expiresAt, end <= now { return nil }
        let until = min(now + Self.rememberedMilliseconds, found.row.expiresAt ?? .max)
        let known = Remembered(found, digest: digest, until: until)
        remembered.withLock { remembered in
            guard count == revocationCount else { return }
            if remembered.count >= Self.tokensRemembered { remembered.removeAll(keepingCapacity: true) }
            remembered[token] = known
        }
        return known
    }

    /// The token or key of a digest, unless its user or the user's account is disabled.
    private static func found(_ digest: [UInt8], _ store: any StoreReader) throws -> Found? {
        guard let row = try store.token(digest: digest) else { return nil }
        // A token of a name that is not listed has nobody who could be disabled.
        if let name = row.user, let user = try store.user(named: name, of: row.tenant) {
            guard !user.isDisabled else { return nil }
            if let account = user.account, try store.account(account)?.isDisabled == true { return nil }
        }
        let app = try row.succession.flatMap { try store.session($0.session)?.apiToken }
        return Found(row: row, app: app)
    }
}

/// The texts of tokens.
public enum AccessToken {
    /// Makes a token of random bytes: 64 hexadecimal digits, harmless in every address.
    public static func make(random: [UInt8]) -> String { random.hex }

    /// What the store knows of a token.
    public static func digest(_ token: String) -> [UInt8] {
        Array(SHA256.hash(data: Array(token.utf8)))
    }
}
