import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite

/// Tokens as the operator handles them: the text is seen once, the store keeps its digest.
enum Tokens {
    /// A new token.
    struct Created: Sendable {
        /// The text; nothing can bring it back later.
        var token: String
        /// What the store knows of it.
        var row: TokenRow
    }

    /// How much of a digest names a token in lists.
    private static let identifierBytes = 6

    /// Makes a token: for an app, or for a user where one is given.
    static func create(
        tenant: Tenant, user: UserRow?, label: String, lifetime: Lifetime?, store: any RecordStore
    ) async throws -> Created {
        let now = Clock.milliseconds
        let row = TokenRow(
            kind: user == nil ? .api : .web, tenant: tenant, user: user?.recordName, label: label,
            createdAt: now,
            expiresAt: lifetime.map { now + $0.milliseconds })
        let token = AccessToken.make(random: Random.bytes(32))
        let digest = AccessToken.digest(token)
        try await store.write { try $0.insert(row, digest: digest) }
        return Created(token: token, row: row)
    }

    /// The short name of a token, safe to show: it lets nobody in.
    static func identifier(of digest: [UInt8]) -> String {
        AccessToken.make(random: Array(digest.prefix(identifierBytes)))
    }

    /// Ends a token, given as its text or as its short name.
    ///
    /// - Throws: a ``Failure`` when the tenant has no such token.
    static func revoke(_ text: String, of tenant: Tenant, store: SQLiteStore) async throws -> TokenRow {
        let digest = AccessToken.digest(text)
        let found = try await store.identifiedTokens(of: tenant).first {
            $0.digest == digest || identifier(of: $0.digest) == text.lowercased()
        }
        guard let found else {
            throw Failure(
                "\(tenant) has no such token.",
                remedy:
                    "Find it with 'stratus token list --container \(tenant.container) --environment \(tenant.environment.rawValue)'."
            )
        }
        try await store.write { try $0.deleteToken(digest: found.digest) }
        return found.row
    }
}
