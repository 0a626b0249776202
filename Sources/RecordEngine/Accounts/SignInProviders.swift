import Foundation
public import RecordModel
public import RecordStorage

/// The providers of OpenID Connect of a container, as operators handle them.
public enum SignInProviders {
    /// The most of one container.
    static let most = 16
    private static let longestIssuer = 500
    private static let longestText = 255
    private static let longestSecret = 8_192

    /// Adds a provider, or replaces the container's one of the same name.
    ///
    /// - Throws: `BAD_REQUEST` for what cannot be a provider's.
    public static func add(_ row: SignInProviderRow, store: any RecordStore) async throws {
        try check(row)
        try await store.write { store in
            let others = try store.signInProviders(of: row.tenant).filter { $0.name != row.name }
            guard others.count < most else {
                throw ServiceError(.badRequest, "A container has at most \(most) providers.")
            }
            guard !others.contains(where: { $0.issuer == row.issuer }) else {
                throw ServiceError(
                    .badRequest, "The container has another provider of the issuer '\(row.issuer)'.",
                    remedy: "Remove that one first: 'stratus sign-in provider remove'.")
            }
            try store.store(row)
        }
    }

    /// The providers of a container, by name.
    ///
    /// - Throws: `StorageError` where the store cannot be read.
    public static func list(of tenant: Tenant, store: any RecordStore) async throws -> [SignInProviderRow] {
        try await store.read(.short) { try $0.signInProviders(of: tenant) }
    }

    /// Removes a provider. Who signed in with it keeps the account, and is let in again when it is back.
    ///
    /// - Throws: `NOT_FOUND`.
    public static func remove(_ name: String, of tenant: Tenant, store: any RecordStore) async throws {
        try await store.write { store in
            guard try store.signInProviders(of: tenant).contains(where: { $0.name == name }) else {
                throw ServiceError(
                    .notFound, "\(tenant) has no provider '\(name.prefix(100))'.",
                    remedy: "'stratus sign-in provider list' shows them.")
            }
            try store.deleteSignInProvider(named: name, of: tenant)
        }
    }

    /// Where a provider sends people back to, below the server's address.
    public static func redirectPath(of name: String, in tenant: Tenant) -> String {
        "/sign-in/\(tenant.container)/\(tenant.environment.rawValue)/with/\(name)/return"
    }

    private static func check(_ row: SignInProviderRow) throws(ServiceError) {
        guard row.name.wholeMatch(of: /[a-z0-9][a-z0-9\-]{0,31}/) != nil else {
            throw ServiceError(
                .badRequest, "'\(row.name.prefix(100))' is not a name for a provider.",
                remedy: "Use up to 32 small letters, digits and '-'.")
        }
        guard isIssuer(row.issuer) else {
            throw ServiceError(
                .badRequest, "'\(row.issuer.prefix(100))' is not an issuer.",
                remedy: "Write it as the provider does: https://accounts.example.org, without a query.")
        }
        guard isLine(row.title), isLine(row.clientID), !row.scopes.contains(where: \.isNewline),
            row.scopes.split(separator: " ").contains("openid"), row.scopes.utf8.count <= longestText
        else {
            throw ServiceError(
                .badRequest, "Title, client ID and scopes are one line of at most \(longestText) bytes each.",
                remedy: "The scopes have 'openid' among them.")
        }
        guard row.secret.count <= longestSecret else {
            throw ServiceError(.badRequest, "The secret has more than \(longestSecret) bytes.")
        }
        guard row.keyID.isEmpty == row.team.isEmpty, row.keyID.isEmpty || !row.secret.isEmpty,
            row.keyID.utf8.count <= longestText, row.team.utf8.count <= longestText
        else {
            throw ServiceError(
                .badRequest, "A private key needs its id and its team, and they need a key.")
        }
    }

    private static func isLine(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= longestText && !text.contains(where: \.isNewline)
    }

    /// `https`; plain HTTP only for a provider on this machine.
    private static func isIssuer(_ text: String) -> Bool {
        guard text.utf8.count <= longestIssuer, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            parts.query == nil, parts.fragment == nil, parts.user == nil
        else { return false }
        return parts.scheme == "https"
            || parts.scheme == "http" && ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
    }
}
