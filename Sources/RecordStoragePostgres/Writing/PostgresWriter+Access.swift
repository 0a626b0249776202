internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresWriter {
    private static let insertTokenStatement = PostgresStatement(
        """
        INSERT INTO token (digest, kind, tenant, "user", label, created_at, expires_at, public_key, used_at,
            session, previous, replaced_at, callback, origins, asks_for_people)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
        """, .bytea, .text, .int8, .text, .text, .int8, .int8, .bytea, .int8, .text, .bytea, .int8, .text,
        .text, .int8)

    func insert(_ token: TokenRow, digest: [UInt8]) throws {
        try write(
            Self.insertTokenStatement, .bytes(digest), .text(token.kind.rawValue),
            .int(try makeTenant(token.tenant)),
            token.user.map { .text(PostgresText.encoded($0)) } ?? .null,
            .text(PostgresText.encoded(token.label)), .int(token.createdAt),
            token.expiresAt.map { .int($0) } ?? .null, token.publicKey.map { .bytes($0) } ?? .null,
            token.usedAt.map { .int($0) } ?? .null,
            token.succession.map { .text($0.session) } ?? .null,
            token.succession?.previous.map { .bytes($0) } ?? .null,
            token.succession?.replacedAt.map { .int($0) } ?? .null,
            token.callback.map { .text(PostgresText.encoded($0)) } ?? .null,
            .text(PostgresText.encoded(token.origins.lines)), .int(token.asksForPeople ? 1 : 0))
    }

    func noteUse(ofToken digest: [UInt8], at now: Int64) throws {
        try write(
            PostgresStatement("UPDATE token SET used_at = $1 WHERE digest = $2", .int8, .bytea), .int(now),
            .bytes(digest))
    }

    func deleteToken(digest: [UInt8]) throws {
        try write(PostgresStatement("DELETE FROM token WHERE digest = $1", .bytea), .bytes(digest))
        hasRevoked = true
    }

    private static let insertUserStatement = PostgresStatement(
        """
        INSERT INTO account (tenant, record_name, label, created_at, roles, account, discoverable, given_name,
            family_name, disabled)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        """, .int8, .text, .text, .int8, .text, .text, .int8, .text, .text, .int8)

    func insert(_ user: UserRow) throws {
        try write(
            Self.insertUserStatement, .int(try makeTenant(user.tenant)),
            .text(PostgresText.encoded(user.recordName)), .text(PostgresText.encoded(user.label)),
            .int(user.createdAt), .text(PostgresText.encoded(UserRow.text(ofRoles: user.roles))),
            user.account.map { .text($0) } ?? .null,
            user.discovery.isAllowed.map { .int($0 ? 1 : 0) } ?? .null,
            .text(PostgresText.encoded(user.discovery.givenName)),
            .text(PostgresText.encoded(user.discovery.familyName)), .int(user.isDisabled ? 1 : 0))
    }

    func setDisabled(_ isDisabled: Bool, ofUserNamed recordName: String, tenant: Tenant) throws {
        try write(
            PostgresStatement(
                "UPDATE account SET disabled = $1 WHERE tenant = $2 AND record_name = $3", .int8, .int8, .text
            ),
            .int(isDisabled ? 1 : 0), .int(try makeTenant(tenant)), .text(PostgresText.encoded(recordName)))
        hasRevoked = true
    }

    func setRoles(_ roles: [String], ofUserNamed recordName: String, tenant: Tenant) throws {
        try write(
            PostgresStatement(
                "UPDATE account SET roles = $1 WHERE tenant = $2 AND record_name = $3", .text, .int8, .text),
            .text(PostgresText.encoded(UserRow.text(ofRoles: roles))), .int(try makeTenant(tenant)),
            .text(PostgresText.encoded(recordName)))
        hasRevoked = true
    }

    // MARK: Revocations

    private static let countRevocation = PostgresCommand(
        sql: """
            INSERT INTO meta VALUES ('revocations', 1) ON CONFLICT (key) DO UPDATE SET value = meta.value + 1
            """)

    /// What a transaction that took something away ends with: other nodes learn of it at once, and one that misses the hint sees
    /// that the number is another one.
    func tellRevocations() throws {
        guard hasRevoked else { return }
        try write(Self.countRevocation)
        try write(PostgresCommand(sql: "NOTIFY \(PostgresLayout.revocationChannel)"))
    }

    // MARK: Operators

    func insert(_ row: OperatorRow) throws {
        try write(
            PostgresStatement(
                "INSERT INTO operator (name, created_at, read_only) VALUES ($1, $2, $3)", .text, .int8, .int8),
            .text(PostgresText.encoded(row.name)), .int(row.createdAt), .int(row.isReadOnly ? 1 : 0))
    }

    func setReadOnly(_ isReadOnly: Bool, ofOperatorNamed name: String) throws {
        try write(
            PostgresStatement("UPDATE operator SET read_only = $1 WHERE name = $2", .int8, .text),
            .int(isReadOnly ? 1 : 0), .text(PostgresText.encoded(name)))
    }

    func deleteOperator(named name: String) throws {
        let name = PostgresValue.text(PostgresText.encoded(name))
        try write(PostgresStatement("DELETE FROM operator_token WHERE operator = $1", .text), name)
        try write(PostgresStatement("DELETE FROM operator WHERE name = $1", .text), name)
    }

    private static let insertOperatorTokenStatement = PostgresStatement(
        "INSERT INTO operator_token VALUES ($1, $2, $3, $4, $5)", .bytea, .text, .text, .int8, .int8)

    func insert(_ token: OperatorTokenRow, digest: [UInt8]) throws {
        try write(
            Self.insertOperatorTokenStatement, .bytes(digest), .text(token.kind.rawValue),
            .text(PostgresText.encoded(token.operatorName)), .int(token.createdAt),
            token.expiresAt.map { .int($0) } ?? .null)
    }

    func deleteOperatorToken(digest: [UInt8]) throws {
        try write(PostgresStatement("DELETE FROM operator_token WHERE digest = $1", .bytea), .bytes(digest))
    }

    func deleteOperatorTokens(expiredBefore time: Int64) throws {
        try write(PostgresStatement("DELETE FROM operator_token WHERE expires_at < $1", .int8), .int(time))
    }

    private static let insertAuditStatement = PostgresStatement(
        """
        INSERT INTO audit (at, operator, action, container, environment, subject, request)
        VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id
        """, .int8, .text, .text, .text, .text, .text, .text)

    func insert(_ row: AuditRow) throws {
        let id = try ask(
            Self.insertAuditStatement, .int(row.at), .text(PostgresText.encoded(row.operatorName)),
            .text(row.action), row.tenant.map { .text($0.container.rawValue) } ?? .null,
            row.tenant.map { .text($0.environment.rawValue) } ?? .null,
            .text(PostgresText.encoded(row.subject)), .text(PostgresText.encoded(row.requestID))
        ).int(0, 0)
        // One comes, one goes: looking only where it is spares a walk over all that went before.
        let last = id - Int64(Limits.auditEntries)
        try write(
            PostgresStatement("DELETE FROM audit WHERE id > $1 - 1000 AND id <= $1", .int8), .int(last))
    }
}
