public import RecordModel
public import RecordStorage
import SQLiteStatements

/// A token with the digest that the store knows it by, for operators who have lost the text.
public struct IdentifiedToken: Sendable {
    /// SHA-256 of the token's text.
    public var digest: [UInt8]
    /// What is known of it.
    public var row: TokenRow
}

extension SQLiteStore {
    /// All tokens of a tenant with their digests, the newest first.
    public func identifiedTokens(of tenant: Tenant) async throws -> [IdentifiedToken] {
        try await read(.short) { reader in
            guard let reader = reader as? SQLiteReader else { return [] }
            let statement = try reader.connection.statement(
                """
                SELECT token.digest FROM token JOIN tenant ON tenant.id = token.tenant
                WHERE tenant.container = ? AND tenant.environment = ? ORDER BY token.created_at DESC, token.digest
                """)
            defer { statement.reset() }
            statement.bind(tenant.container.rawValue, at: 1)
            statement.bind(tenant.environment.rawValue, at: 2)
            var digests: [[UInt8]] = []
            while try statement.step() { digests.append(Array(statement.bytes(0))) }
            var tokens: [IdentifiedToken] = []
            for digest in digests {
                guard let row = try reader.token(digest: digest) else { continue }
                tokens.append(IdentifiedToken(digest: digest, row: row))
            }
            return tokens
        }
    }
}
