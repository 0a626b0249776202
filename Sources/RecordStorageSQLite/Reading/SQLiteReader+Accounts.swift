import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteReader {
    private static let accountColumns = "id, address, created_at, disabled"

    func account(_ id: String) throws -> AccountRow? {
        try accountRows("WHERE id = ?", .text(id)).first
    }

    func account(withAddress address: String) throws -> AccountRow? {
        try accountRows("WHERE address = ?", .text(address)).first
    }

    func accounts(after address: String, limit: Int) throws -> [AccountRow] {
        try accountRows("WHERE address > ? ORDER BY address LIMIT ?", .text(address), .int(Int64(limit)))
    }

    private func accountRows(_ rest: String, _ values: StorageValue...) throws -> [AccountRow] {
        try rows("SELECT \(Self.accountColumns) FROM sign_in_account \(rest)", values) { row in
            AccountRow(
                id: row.text(0), address: row.text(1), createdAt: row.int(2), isDisabled: row.int(3) != 0)
        }
    }

    func credentials(of account: String) throws -> [CredentialRow] {
        let sql =
            "SELECT kind, name, secret, created_at FROM credential WHERE account = ? ORDER BY kind, name"
        return try rows(sql, [.text(account)]) { row in
            CredentialRow.Kind(rawValue: row.text(0)).map { kind in
                CredentialRow(
                    account: account, kind: kind, name: row.text(1), secret: Array(row.bytes(2)),
                    createdAt: row.int(3))
            }
        }
    }

    func credential(_ kind: CredentialRow.Kind, named name: String) throws -> CredentialRow? {
        let sql = "SELECT account, secret, created_at FROM credential WHERE kind = ? AND name = ?"
        return try rows(sql, [.text(kind.rawValue), .text(name)]) { row in
            CredentialRow(
                account: row.text(0), kind: kind, name: name, secret: Array(row.bytes(1)),
                createdAt: row.int(2))
        }.first
    }

    func accountLink(digest: [UInt8]) throws -> AccountLinkRow? {
        let statement = try connection.statement(
            """
            SELECT purpose, account, address, container, environment, api_token, created_at, expires_at
            FROM account_link JOIN tenant ON tenant.id = account_link.tenant WHERE digest = ?
            """)
        defer { statement.reset() }
        statement.bind(blob: digest, at: 1)
        guard try statement.step(), let purpose = AccountLinkRow.Purpose(rawValue: statement.text(0)),
            let tenant = Tenant(statement.text(3), statement.text(4))
        else { return nil }
        return AccountLinkRow(
            purpose: purpose, account: statement.optionalText(1), address: statement.text(2), tenant: tenant,
            apiToken: statement.optionalText(5), createdAt: statement.int(6), expiresAt: statement.int(7))
    }

    func session(_ id: String) throws -> SessionRow? {
        try sessionRows("WHERE session.id = ?", .text(id)).first
    }

    func sessions(of account: String) throws -> [SessionRow] {
        try sessionRows("WHERE account = ? ORDER BY created_at DESC, session.id", .text(account))
    }

    private func sessionRows(_ rest: String, _ values: StorageValue...) throws -> [SessionRow] {
        let sql = """
            SELECT session.id, container, environment, user, account, label, created_at, seen_at, ends_at, idle,
                api_token
            FROM session JOIN tenant ON tenant.id = session.tenant \(rest)
            """
        return try rows(sql, values) { row in
            Tenant(row.text(1), row.text(2)).map { tenant in
                SessionRow(
                    id: row.text(0), tenant: tenant, user: row.text(3), account: row.text(4),
                    label: row.text(5), createdAt: row.int(6), seenAt: row.int(7), endsAt: row.int(8),
                    idleMilliseconds: row.int(9), apiToken: row.isNull(10) ? nil : Array(row.bytes(10)))
            }
        }
    }

    func users(ofAccount account: String) throws -> [UserRow] {
        let sql = """
            SELECT container, environment, record_name, label, created_at, roles, \(Self.discoveryColumns)
            FROM user JOIN tenant ON tenant.id = user.tenant
            WHERE account = ? ORDER BY container, environment, record_name
            """
        return try rows(sql, [.text(account)]) { row in
            Tenant(row.text(0), row.text(1)).map { tenant in
                UserRow(
                    tenant: tenant, recordName: row.text(2), label: row.text(3), createdAt: row.int(4),
                    roles: UserRow.roles(inText: row.text(5)), account: account,
                    discovery: Self.discovery(row, from: 6), isDisabled: row.int(9) != 0)
            }
        }
    }

    func userName(labelled label: String, of tenant: Tenant) throws -> String? {
        guard let number = try tenantNumber(tenant) else { return nil }
        let sql = "SELECT record_name FROM user WHERE tenant = ? AND label = ?"
        return try rows(sql, [.int(number), .text(label)]) { $0.text(0) }.first
    }

    func signInPolicy(of tenant: Tenant) throws -> SignInPolicyRow? {
        guard let number = try tenantNumber(tenant) else { return nil }
        let sql = """
            SELECT admission, invited, title, public_records, color, logo FROM sign_in_policy WHERE tenant = ?
            """
        return try rows(sql, [.int(number)]) { row in
            SignInPolicyRow.Admission(rawValue: row.text(0)).map { admission in
                SignInPolicyRow(
                    tenant: tenant, admission: admission, invited: Array(lines: row.text(1)),
                    title: row.text(2),
                    publicRecords: ErasureRow.PublicRecords(rawValue: row.text(3)) ?? .keep,
                    color: row.text(4),
                    logo: row.isNull(5) ? nil : Array(row.bytes(5)))
            }
        }.first
    }

    func erasures(limit: Int) throws -> [ErasureRow] {
        let sql = """
            SELECT container, environment, user, public_records, created_at
            FROM erasure JOIN tenant ON tenant.id = erasure.tenant
            ORDER BY created_at, container, environment, user LIMIT ?
            """
        return try rows(sql, [.int(Int64(limit))]) { row in
            guard let tenant = Tenant(row.text(0), row.text(1)),
                let publicRecords = ErasureRow.PublicRecords(rawValue: row.text(3))
            else { return nil }
            return ErasureRow(
                tenant: tenant, user: row.text(2), publicRecords: publicRecords, createdAt: row.int(4))
        }
    }

    func signInProviders(of tenant: Tenant) throws -> [SignInProviderRow] {
        guard let number = try tenantNumber(tenant) else { return [] }
        let sql = """
            SELECT name, title, issuer, client, secret, key_id, team, scopes, posts_form, created_at
            FROM sign_in_provider WHERE tenant = ? ORDER BY name
            """
        return try rows(sql, [.int(number)]) { row in
            SignInProviderRow(
                tenant: tenant, name: row.text(0), title: row.text(1), issuer: row.text(2),
                clientID: row.text(3), secret: Array(row.bytes(4)), keyID: row.text(5), team: row.text(6),
                scopes: row.text(7), postsForm: row.int(8) != 0, createdAt: row.int(9))
        }
    }

    private func rows<Row>(
        _ sql: String, _ values: [StorageValue], _ row: (Statement) throws -> Row?
    ) throws -> [Row] {
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        statement.bind(values)
        var rows: [Row] = []
        while try statement.step() {
            if let row = try row(statement) { rows.append(row) }
        }
        return rows
    }
}
