internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresReader {
    private static let accountColumns = "id, address, created_at, disabled"
    private static let accountStatement = PostgresStatement(
        "SELECT \(accountColumns) FROM sign_in_account WHERE id = $1", .text)
    private static let accountByAddressStatement = PostgresStatement(
        "SELECT \(accountColumns) FROM sign_in_account WHERE address = $1", .text)
    private static let accountsStatement = PostgresStatement(
        "SELECT \(accountColumns) FROM sign_in_account WHERE address > $1 ORDER BY address LIMIT $2", .text,
        .int8)

    func account(_ id: String) throws -> AccountRow? {
        Self.accounts(try ask(Self.accountStatement, .text(PostgresText.encoded(id)))).first
    }

    func account(withAddress address: String) throws -> AccountRow? {
        Self.accounts(try ask(Self.accountByAddressStatement, .text(PostgresText.encoded(address)))).first
    }

    func accounts(after address: String, limit: Int) throws -> [AccountRow] {
        Self.accounts(
            try ask(Self.accountsStatement, .text(PostgresText.encoded(address)), .int(Int64(limit))))
    }

    private static func accounts(_ rows: PostgresRows) -> [AccountRow] {
        (0..<rows.count).map { row in
            AccountRow(
                id: PostgresText.decoded(rows.text(row, 0)), address: PostgresText.decoded(rows.text(row, 1)),
                createdAt: rows.int(row, 2), isDisabled: rows.bool(row, 3))
        }
    }

    private static let credentialsStatement = PostgresStatement(
        "SELECT kind, name, secret, created_at FROM credential WHERE account = $1 ORDER BY kind, name", .text)

    func credentials(of account: String) throws -> [CredentialRow] {
        let rows = try ask(Self.credentialsStatement, .text(PostgresText.encoded(account)))
        return (0..<rows.count).compactMap { row in
            CredentialRow.Kind(rawValue: rows.text(row, 0)).map { kind in
                CredentialRow(
                    account: account, kind: kind, name: PostgresText.decoded(rows.text(row, 1)),
                    secret: Array(rows.bytes(row, 2)), createdAt: rows.int(row, 3))
            }
        }
    }

    private static let credentialStatement = PostgresStatement(
        "SELECT account, secret, created_at FROM credential WHERE kind = $1 AND name = $2", .text, .text)

    func credential(_ kind: CredentialRow.Kind, named name: String) throws -> CredentialRow? {
        let rows = try ask(
            Self.credentialStatement, .text(kind.rawValue), .text(PostgresText.encoded(name)))
        guard rows.count > 0 else { return nil }
        return CredentialRow(
            account: PostgresText.decoded(rows.text(0, 0)), kind: kind, name: name,
            secret: Array(rows.bytes(0, 1)), createdAt: rows.int(0, 2))
    }

    private static let accountLinkStatement = PostgresStatement(
        """
        SELECT purpose, account, address, container, environment, api_token, created_at, expires_at
        FROM account_link JOIN tenant ON tenant.id = account_link.tenant WHERE digest = $1
        """, .bytea)

    func accountLink(digest: [UInt8]) throws -> AccountLinkRow? {
        let rows = try ask(Self.accountLinkStatement, .bytes(digest))
        guard rows.count > 0, let purpose = AccountLinkRow.Purpose(rawValue: rows.text(0, 0)),
            let tenant = Tenant(rows.text(0, 3), rows.text(0, 4))
        else { return nil }
        return AccountLinkRow(
            purpose: purpose, account: rows.optionalText(0, 1).map(PostgresText.decoded),
            address: PostgresText.decoded(rows.text(0, 2)), tenant: tenant,
            apiToken: rows.optionalText(0, 5).map(PostgresText.decoded), createdAt: rows.int(0, 6),
            expiresAt: rows.int(0, 7))
    }

    private static let sessionColumns =
        """
        session.id, container, environment, session."user", session.account, label, created_at, seen_at, ends_at, idle,
        session.api_token
        """
    private static let sessionStatement = PostgresStatement(
        """
        SELECT \(sessionColumns) FROM session JOIN tenant ON tenant.id = session.tenant WHERE session.id = $1
        """, .text)
    private static let sessionsStatement = PostgresStatement(
        """
        SELECT \(sessionColumns) FROM session JOIN tenant ON tenant.id = session.tenant
        WHERE account = $1 ORDER BY created_at DESC, session.id
        """, .text)

    func session(_ id: String) throws -> SessionRow? {
        Self.sessions(try ask(Self.sessionStatement, .text(PostgresText.encoded(id)))).first
    }

    func sessions(of account: String) throws -> [SessionRow] {
        Self.sessions(try ask(Self.sessionsStatement, .text(PostgresText.encoded(account))))
    }

    private static func sessions(_ rows: PostgresRows) -> [SessionRow] {
        (0..<rows.count).compactMap { row in
            Tenant(rows.text(row, 1), rows.text(row, 2)).map { tenant in
                SessionRow(
                    id: PostgresText.decoded(rows.text(row, 0)), tenant: tenant,
                    user: PostgresText.decoded(rows.text(row, 3)),
                    account: PostgresText.decoded(rows.text(row, 4)),
                    label: PostgresText.decoded(rows.text(row, 5)), createdAt: rows.int(row, 6),
                    seenAt: rows.int(row, 7), endsAt: rows.int(row, 8), idleMilliseconds: rows.int(row, 9),
                    apiToken: rows.isNull(row, 10) ? nil : Array(rows.bytes(row, 10)))
            }
        }
    }

    private static let usersOfAccountStatement = PostgresStatement(
        """
        SELECT container, environment, record_name, label, created_at, roles, \(discoveryColumns)
        FROM account JOIN tenant ON tenant.id = account.tenant
        WHERE account = $1 ORDER BY container, environment, record_name
        """, .text)

    func users(ofAccount account: String) throws -> [UserRow] {
        let rows = try ask(Self.usersOfAccountStatement, .text(PostgresText.encoded(account)))
        return (0..<rows.count).compactMap { row in
            Tenant(rows.text(row, 0), rows.text(row, 1)).map { tenant in
                UserRow(
                    tenant: tenant, recordName: PostgresText.decoded(rows.text(row, 2)),
                    label: PostgresText.decoded(rows.text(row, 3)), createdAt: rows.int(row, 4),
                    roles: UserRow.roles(inText: PostgresText.decoded(rows.text(row, 5))), account: account,
                    discovery: Self.discovery(rows, row, from: 6), isDisabled: rows.int(row, 9) != 0)
            }
        }
    }

    private static let labelStatement = PostgresStatement(
        "SELECT record_name FROM account WHERE tenant = $1 AND label = $2", .int8, .text)

    func userName(labelled label: String, of tenant: Tenant) throws -> String? {
        guard let number = catalog.tenants[tenant] else { return nil }
        let rows = try ask(Self.labelStatement, .int(number), .text(PostgresText.encoded(label)))
        return rows.count > 0 ? PostgresText.decoded(rows.text(0, 0)) : nil
    }

    private static let policyStatement = PostgresStatement(
        """
        SELECT admission, invited, title, public_records, color, logo FROM sign_in_policy WHERE tenant = $1
        """, .int8)

    func signInPolicy(of tenant: Tenant) throws -> SignInPolicyRow? {
        guard let number = catalog.tenants[tenant] else { return nil }
        let rows = try ask(Self.policyStatement, .int(number))
        guard rows.count > 0, let admission = SignInPolicyRow.Admission(rawValue: rows.text(0, 0)) else {
            return nil
        }
        return SignInPolicyRow(
            tenant: tenant, admission: admission,
            invited: Array(lines: PostgresText.decoded(rows.text(0, 1))),
            title: PostgresText.decoded(rows.text(0, 2)),
            publicRecords: ErasureRow.PublicRecords(rawValue: rows.text(0, 3)) ?? .keep,
            color: PostgresText.decoded(rows.text(0, 4)),
            logo: rows.isNull(0, 5) ? nil : Array(rows.bytes(0, 5)))
    }

    private static let erasuresStatement = PostgresStatement(
        """
        SELECT container, environment, "user", public_records, created_at
        FROM erasure JOIN tenant ON tenant.id = erasure.tenant
        ORDER BY created_at, container, environment, "user" LIMIT $1
        """, .int8)

    func erasures(limit: Int) throws -> [ErasureRow] {
        let rows = try ask(Self.erasuresStatement, .int(Int64(limit)))
        return (0..<rows.count).compactMap { row in
            guard let tenant = Tenant(rows.text(row, 0), rows.text(row, 1)),
                let publicRecords = ErasureRow.PublicRecords(rawValue: rows.text(row, 3))
            else { return nil }
            return ErasureRow(
                tenant: tenant, user: PostgresText.decoded(rows.text(row, 2)), publicRecords: publicRecords,
                createdAt: rows.int(row, 4))
        }
    }

    private static let providersStatement = PostgresStatement(
        """
        SELECT name, title, issuer, client, secret, key_id, team, scopes, posts_form, created_at
        FROM sign_in_provider WHERE tenant = $1 ORDER BY name
        """, .int8)

    func signInProviders(of tenant: Tenant) throws -> [SignInProviderRow] {
        guard let number = catalog.tenants[tenant] else { return [] }
        let rows = try ask(Self.providersStatement, .int(number))
        return (0..<rows.count).map { row in
            func text(_ column: Int) -> String { PostgresText.decoded(rows.text(row, column)) }
            return SignInProviderRow(
                tenant: tenant, name: text(0), title: text(1), issuer: text(2), clientID: text(3),
                secret: Array(rows.bytes(row, 4)), keyID: text(5), team: text(6), scopes: text(7),
                postsForm: rows.bool(row, 8), createdAt: rows.int(row, 9))
        }
    }
}
