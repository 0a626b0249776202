import Crypto
import RecordModel
import RecordStorage
import Synchronization

/// Finds out who a request comes from.
///
/// The store knows digests of tokens, never the tokens. A token that was found is remembered for a moment, so
/// that a request costs no read; a revoked one may therefore be good for ``rememberedMilliseconds`` more.
final class Authenticator: Sendable {
    private struct Remembered {
        var row: TokenRow
        var until: Int64
    }

    private let store: any RecordStore
    private let remembered = Mutex<[String: Remembered]>([:])
    private let rememberedRoles = Mutex<[Member: RememberedRoles]>([:])

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

    init(store: any RecordStore) { self.store = store }

    /// - Throws: `AUTHENTICATION_FAILED` when the API token is missing, unknown, expired or of another tenant, or the
    ///   request is signed; `AUTHENTICATION_REQUIRED` when the user has to sign in again.
    func caller(_ credentials: Credentials, tenant: Tenant, now: Int64) async throws -> Caller {
        guard !credentials.isSigned else {
            throw ServiceError(
                .authenticationFailed,
                "Server-to-server keys are not served by this version: the signature was not checked.",
                remedy:
                    "Send '?ckAPIToken=…' without the X-Apple-CloudKit-Request headers, and a user's 'ckWebAuthToken' to write."
            )
        }
        guard let apiToken = credentials.apiToken, !apiToken.isEmpty else {
            throw ServiceError(
                .authenticationFailed, "No API token was sent.",
                remedy: "Add '?ckAPIToken=…'; 'stratus token create' makes one.")
        }
        guard let row = try await row(apiToken, now: now), row.kind == .api, row.tenant == tenant else {
            throw ServiceError(
                .authenticationFailed, "The API token is not valid for \(tenant).",
                remedy:
                    "Check the container and the environment, or make a token with 'stratus token create'.")
        }
        guard let webToken = credentials.webAuthToken, !webToken.isEmpty else { return .anonymous }
        guard let row = try await self.row(webToken, now: now) else {
            // Ended, or taken back: nothing is wrong with the request but its age. Clients begin to sign in on this
            // code, as the reference of CloudKit Web Services describes it for users/caller.
            throw ServiceError(
                .authenticationRequired, "request needs authorization",
                remedy:
                    "The web auth token has expired or is unknown: sign in again, or make one with 'stratus token create --user NAME'."
            )
        }
        guard row.kind == .web, row.tenant == tenant, let user = row.user else {
            throw ServiceError(
                .authenticationFailed, "The web auth token is not valid for \(tenant).",
                remedy: "Sign in again, or make a token with 'stratus token create --user NAME'.")
        }
        return .user(user)
    }

    /// The roles that operators gave to a caller, of those that the schema declares; they are remembered as tokens are.
    func roles(
        of caller: Caller, declared: [String], tenant: Tenant, now: Int64
    ) async throws -> [String] {
        // Most schemas declare none, and then there is nothing to read.
        guard !declared.isEmpty, case .user(let name) = caller else { return [] }
        let member = Member(tenant: tenant, recordName: name)
        if let known = rememberedRoles.withLock({ $0[member] }), known.until > now { return known.roles }
        let given = try await store.read(.short) { try $0.user(named: name, of: tenant)?.roles ?? [] }
        let roles = given.filter(declared.contains)
        rememberedRoles.withLock { remembered in
            if remembered.count >= Self.tokensRemembered { remembered.removeAll(keepingCapacity: true) }
            remembered[member] = RememberedRoles(roles: roles, until: now + Self.rememberedMilliseconds)
        }
        return roles
    }

    private func row(_ token: String, now: Int64) async throws -> TokenRow? {
        if let known = remembered.withLock({ $0[token] }), known.until > now { return known.row }
        guard token.utf8.count <= Self.longestToken else { return nil }
        let digest = AccessToken.digest(token)
        guard let row = try await store.read(.short, { try $0.token(digest: digest) }) else { return nil }
        if let end = row.expiresAt, end <= now { return nil }
        let until = min(now + Self.rememberedMilliseconds, row.expiresAt ?? .max)
        remembered.withLock { remembered in
            if remembered.count >= Self.tokensRemembered { remembered.removeAll(keepingCapacity: true) }
            remembered[token] = Remembered(row: row, until: until)
        }
        return row
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
