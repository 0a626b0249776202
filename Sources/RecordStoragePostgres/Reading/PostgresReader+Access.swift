internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresReader {
    private static let tokenColumns =
        """
        token.kind, tenant.container, tenant.environment, token."user", token.label, token.created_at,
        token.expires_at, token.public_key, token.used_at, token.session, token.previous, token.replaced_at,
        token.callback, token.origins, token.asks_for_people
        """
    private static let tokenStatement = PostgresStatement(
        "SELECT \(tokenColumns) FROM token JOIN tenant ON tenant.id = token.tenant WHERE digest = $1", .bytea)
    private static let tokensStatement = PostgresStatement(
        """
        SELECT \(tokenColumns), token.digest FROM token JOIN tenant ON tenant.id = token.tenant
        WHERE tenant.id = $1 AND token.session IS NULL ORDER BY token.created_at DESC, token.digest
        """, .int8)

    func token(digest: [UInt8]) throws -> TokenRow? {
        let rows = try ask(Self.tokenStatement, .bytes(digest))
        return rows.count > 0 ? Self.token(rows, 0) : nil
    }

    func accessCounts(of tenant: Tenant) throws -> (users: Int, tokens: Int) {
        (try users(of: tenant).count, try identifiedTokens(of: tenant).count)
    }

    func identifiedTokens(of tenant: Tenant, limit: Int) throws -> [IdentifiedToken] {
        guard let number = catalog.tenants[tenant] else { return [] }
        let rows = try ask(Self.tokensStatement, .int(number))
        return (0..<min(rows.count, limit)).compactMap { row in
            Self.token(rows, row).map { IdentifiedToken(digest: Array(rows.bytes(row, 15)), row: $0) }
        }
    }

    static func token(_ rows: PostgresRows, _ row: Int) -> TokenRow? {
        guard let kind = TokenRow.Kind(rawValue: rows.text(row, 0)),
            let tenant = Tenant(rows.text(row, 1), rows.text(row, 2))
        else { return nil }
        return TokenRow(
            kind: kind, tenant: tenant, user: rows.optionalText(row, 3).map(PostgresText.decoded),
            label: PostgresText.decoded(rows.text(row, 4)), createdAt: rows.int(row, 5),
            expiresAt: rows.optionalInt(row, 6),
            publicKey: kind == .key ? Array(rows.bytes(row, 7)) : nil, usedAt: rows.optionalInt(row, 8),
            succession: rows.optionalText(row, 9).map { session in
                TokenSuccession(
                    session: session, previous: rows.isNull(row, 10) ? nil : Array(rows.bytes(row, 10)),
                    replacedAt: rows.optionalInt(row, 11))
            },
            callback: rows.optionalText(row, 12).map(PostgresText.decoded),
            origins: Array(lines: PostgresText.decoded(rows.text(row, 13))),
            asksForPeople: rows.int(row, 14) != 0)
    }

    private static let userStatement = PostgresStatement(
        """
        SELECT label, created_at, roles, account, \(discoveryColumns) FROM account
        WHERE tenant = $1 AND record_name = $2
        """, .int8, .text)
    private static let usersStatement = PostgresStatement(
        """
        SELECT record_name, label, created_at, roles, account, \(discoveryColumns) FROM account WHERE tenant = $1
        ORDER BY created_at DESC
        """, .int8)

    func user(named recordName: String, of tenant: Tenant) throws -> UserRow? {
        guard let number = catalog.tenants[tenant] else { return nil }
        let rows = try ask(Self.userStatement, .int(number), .text(PostgresText.encoded(recordName)))
        guard rows.count > 0 else { return nil }
        return UserRow(
            tenant: tenant, recordName: recordName, label: PostgresText.decoded(rows.text(0, 0)),
            createdAt: rows.int(0, 1), roles: UserRow.roles(inText: PostgresText.decoded(rows.text(0, 2))),
            account: rows.optionalText(0, 3), discovery: Self.discovery(rows, 0, from: 4),
            isDisabled: rows.int(0, 7) != 0)
    }

    func users(of tenant: Tenant, limit: Int) throws -> [UserRow] {
        guard let number = catalog.tenants[tenant] else { return [] }
        let rows = try ask(Self.usersStatement, .int(number))
        return (0..<min(rows.count, limit)).map { row in
            UserRow(
                tenant: tenant, recordName: PostgresText.decoded(rows.text(row, 0)),
                label: PostgresText.decoded(rows.text(row, 1)), createdAt: rows.int(row, 2),
                roles: UserRow.roles(inText: PostgresText.decoded(rows.text(row, 3))),
                account: rows.optionalText(row, 4), discovery: Self.discovery(rows, row, from: 5),
                isDisabled: rows.int(row, 8) != 0)
        }
    }

    /// Those of ``discovery(_:_:from:)``, and whether the user is shut out.
    static let discoveryColumns =
        "account.discoverable, account.given_name, account.family_name, account.disabled"

    static func discovery(_ rows: PostgresRows, _ row: Int, from column: Int) -> UserDiscovery {
        UserDiscovery(
            isAllowed: rows.optionalInt(row, column).map { $0 != 0 },
            givenName: PostgresText.decoded(rows.text(row, column + 1)),
            familyName: PostgresText.decoded(rows.text(row, column + 2)))
    }

    private static let discoverableStatement = PostgresStatement(
        """
        SELECT record_name, label, created_at, roles, account, \(discoveryColumns) FROM account
        WHERE tenant = $1 AND discoverable = 1 AND record_name > $2 ORDER BY record_name LIMIT $3
        """, .int8, .text, .int8)

    func discoverableUsers(of tenant: Tenant, after recordName: String, limit: Int) throws -> [UserRow] {
        guard let number = catalog.tenants[tenant] else { return [] }
        let rows = try ask(
            Self.discoverableStatement, .int(number), .text(PostgresText.encoded(recordName)),
            .int(Int64(limit)))
        return (0..<rows.count).map { row in
            UserRow(
                tenant: tenant, recordName: PostgresText.decoded(rows.text(row, 0)),
                label: PostgresText.decoded(rows.text(row, 1)), createdAt: rows.int(row, 2),
                roles: UserRow.roles(inText: PostgresText.decoded(rows.text(row, 3))),
                account: rows.optionalText(row, 4), discovery: Self.discovery(rows, row, from: 5),
                isDisabled: rows.int(row, 8) != 0)
        }
    }

    // MARK: Operators

    private static let operatorsStatement = PostgresStatement(
        "SELECT name, created_at, read_only FROM operator ORDER BY name")
    private static let operatorTokenStatement = PostgresStatement(
        "SELECT kind, operator, created_at, expires_at FROM operator_token WHERE digest = $1", .bytea)
    private static let operatorTokensStatement = PostgresStatement(
        "SELECT kind, operator, created_at, expires_at FROM operator_token WHERE operator = $1 ORDER BY created_at",
        .text)

    func operators() throws -> [OperatorRow] {
        let rows = try ask(Self.operatorsStatement)
        return (0..<rows.count).map {
            OperatorRow(
                name: PostgresText.decoded(rows.text($0, 0)), createdAt: rows.int($0, 1),
                isReadOnly: rows.int($0, 2) != 0)
        }
    }

    func operatorToken(digest: [UInt8]) throws -> OperatorTokenRow? {
        Self.operatorTokens(try ask(Self.operatorTokenStatement, .bytes(digest))).first
    }

    func operatorTokens(of name: String) throws -> [OperatorTokenRow] {
        Self.operatorTokens(try ask(Self.operatorTokensStatement, .text(PostgresText.encoded(name))))
    }

    private static func operatorTokens(_ rows: PostgresRows) -> [OperatorTokenRow] {
        (0..<rows.count).compactMap { row in
            OperatorTokenRow.Kind(rawValue: rows.text(row, 0)).map { kind in
                OperatorTokenRow(
                    kind: kind, operatorName: PostgresText.decoded(rows.text(row, 1)),
                    createdAt: rows.int(row, 2), expiresAt: rows.optionalInt(row, 3))
            }
        }
    }

    private static let auditColumns = "id, at, operator, action, container, environment, subject, request"
    private static let auditStatement = PostgresStatement(
        "SELECT \(auditColumns) FROM audit WHERE id < $1 ORDER BY id DESC LIMIT $2", .int8, .int8)
    private static let auditOfStatement = PostgresStatement(
        """
        SELECT \(auditColumns) FROM audit WHERE container = $1 AND environment = $2
            AND (subject = ANY($3) OR starts_with(subject, $4)) ORDER BY id DESC
        """, .text, .text, .textArray, .text)

    func audit(before id: Int64?, limit: Int) throws -> [AuditRow] {
        Self.audit(try ask(Self.auditStatement, .int(id ?? .max), .int(Int64(limit))))
    }

    func audit(of tenant: Tenant, subjects: [String], prefix: String?) throws -> [AuditRow] {
        Self.audit(
            try ask(
                Self.auditOfStatement, .text(tenant.container.rawValue), .text(tenant.environment.rawValue),
                .texts(subjects.map { PostgresText.encoded($0) }),
                prefix.map { .text(PostgresText.encoded($0)) } ?? .null))
    }

    private static func audit(_ rows: PostgresRows) -> [AuditRow] {
        (0..<rows.count).map { row in
            AuditRow(
                id: rows.int(row, 0), at: rows.int(row, 1),
                operatorName: PostgresText.decoded(rows.text(row, 2)),
                action: rows.text(row, 3),
                tenant: rows.isNull(row, 4) ? nil : Tenant(rows.text(row, 4), rows.text(row, 5)),
                subject: PostgresText.decoded(rows.text(row, 6)), requestID: rows.text(row, 7))
        }
    }
}
