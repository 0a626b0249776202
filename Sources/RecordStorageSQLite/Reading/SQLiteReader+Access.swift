import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteReader {
    private static let tokenColumns =
        """
        token.kind, tenant.container, tenant.environment, token.user, token.label, token.created_at,
        token.expires_at, token.public_key, token.used_at, token.session, token.previous, token.replaced_at,
        token.callback, token.origins, token.asks_for_people
        """

    func token(digest: [UInt8]) throws -> TokenRow? {
        let statement = try connection.statement(
            "SELECT \(Self.tokenColumns) FROM token JOIN tenant ON tenant.id = token.tenant WHERE digest = ?")
        defer { statement.reset() }
        statement.bind(blob: digest, at: 1)
        return try statement.step() ? Self.token(statement) : nil
    }

    func identifiedTokens(of tenant: Tenant, limit: Int) throws -> [IdentifiedToken] {
        let statement = try connection.statement(
            """
            SELECT \(Self.tokenColumns), token.digest FROM token JOIN tenant ON tenant.id = token.tenant
            WHERE tenant.container = ? AND tenant.environment = ? AND token.session IS NULL
            ORDER BY token.created_at DESC, token.digest LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(tenant.container.rawValue, at: 1)
        statement.bind(tenant.environment.rawValue, at: 2)
        statement.bind(Int64(limit), at: 3)
        var tokens: [IdentifiedToken] = []
        while try statement.step() {
            guard let row = Self.token(statement) else { continue }
            tokens.append(IdentifiedToken(digest: Array(statement.bytes(15)), row: row))
        }
        return tokens
    }

    static func token(_ statement: Statement) -> TokenRow? {
        guard let kind = TokenRow.Kind(rawValue: statement.text(0)),
            let tenant = Tenant(statement.text(1), statement.text(2))
        else { return nil }
        return TokenRow(
            kind: kind, tenant: tenant,
            user: statement.optionalText(3), label: statement.text(4), createdAt: statement.int(5),
            expiresAt: statement.optionalInt(6),
            publicKey: kind == .key ? Array(statement.bytes(7)) : nil, usedAt: statement.optionalInt(8),
            succession: statement.optionalText(9).map { session in
                TokenSuccession(
                    session: session, previous: statement.isNull(10) ? nil : Array(statement.bytes(10)),
                    replacedAt: statement.optionalInt(11))
            },
            callback: statement.optionalText(12), origins: Array(lines: statement.text(13)),
            asksForPeople: statement.int(14) != 0)
    }

    func accessCounts(of tenant: Tenant) throws -> (users: Int, tokens: Int) {
        guard let number = try tenantNumber(tenant) else { return (0, 0) }
        let statement = try connection.statement(
            """
            SELECT (SELECT count(*) FROM user WHERE tenant = ?1), 
                (SELECT count(*) FROM token WHERE tenant = ?1 AND session IS NULL)
            """)
        defer { statement.reset() }
        statement.bind(number, at: 1)
        return try statement.step() ? (Int(statement.int(0)), Int(statement.int(1))) : (0, 0)
    }

    func user(named recordName: String, of tenant: Tenant) throws -> UserRow? {
        let statement = try connection.statement(
            """
            SELECT user.label, user.created_at, user.roles, user.account, \(Self.discoveryColumns)
            FROM tenant JOIN user ON user.tenant = tenant.id
            WHERE tenant.container = ? AND tenant.environment = ? AND user.record_name = ?
            """)
        defer { statement.reset() }
        statement.bind(tenant.container.rawValue, at: 1)
        statement.bind(tenant.environment.rawValue, at: 2)
        statement.bind(recordName, at: 3)
        guard try statement.step() else { return nil }
        return UserRow(
            tenant: tenant, recordName: recordName, label: statement.text(0), createdAt: statement.int(1),
            roles: UserRow.roles(inText: statement.text(2)), account: statement.optionalText(3),
            discovery: Self.discovery(statement, from: 4), isDisabled: statement.int(7) != 0)
    }

    func users(of tenant: Tenant, limit: Int) throws -> [UserRow] {
        let statement = try connection.statement(
            """
            SELECT user.record_name, user.label, user.created_at, user.roles, user.account,
                \(Self.discoveryColumns)
            FROM user JOIN tenant ON tenant.id = user.tenant
            WHERE tenant.container = ? AND tenant.environment = ? ORDER BY user.created_at DESC LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(tenant.container.rawValue, at: 1)
        statement.bind(tenant.environment.rawValue, at: 2)
        statement.bind(Int64(limit), at: 3)
        return try Self.users(statement, of: tenant)
    }

    /// The rows of a statement whose columns are the name, the label, the time, the roles, the account and ``discoveryColumns``.
    private static func users(_ statement: Statement, of tenant: Tenant) throws -> [UserRow] {
        var users: [UserRow] = []
        while try statement.step() {
            users.append(
                UserRow(
                    tenant: tenant, recordName: statement.text(0), label: statement.text(1),
                    createdAt: statement.int(2), roles: UserRow.roles(inText: statement.text(3)),
                    account: statement.optionalText(4), discovery: discovery(statement, from: 5),
                    isDisabled: statement.int(8) != 0))
        }
        return users
    }

    /// Those of ``discovery(_:from:)``, and whether the user is shut out.
    static let discoveryColumns = "user.discoverable, user.given_name, user.family_name, user.disabled"

    static func discovery(_ row: Statement, from column: Int32) -> UserDiscovery {
        UserDiscovery(
            isAllowed: row.optionalInt(column).map { $0 != 0 }, givenName: row.text(column + 1),
            familyName: row.text(column + 2))
    }

    func discoverableUsers(of tenant: Tenant, after recordName: String, limit: Int) throws -> [UserRow] {
        guard let number = try tenantNumber(tenant) else { return [] }
        let statement = try connection.statement(
            """
            SELECT record_name, label, created_at, roles, account, \(Self.discoveryColumns) FROM user
            WHERE tenant = ? AND discoverable = 1 AND record_name > ? ORDER BY record_name LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(number, at: 1)
        statement.bind(recordName, at: 2)
        statement.bind(Int64(limit), at: 3)
        return try Self.users(statement, of: tenant)
    }
}
