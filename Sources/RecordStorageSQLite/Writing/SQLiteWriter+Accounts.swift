import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteWriter {
    func setLabel(_ label: String, ofUserNamed recordName: String, tenant: Tenant) throws {
        try run(
            "UPDATE user SET label = ? WHERE tenant = ? AND record_name = ?", .text(label),
            .int(try makeTenant(tenant)), .text(recordName))
    }

    func setDiscovery(_ discovery: UserDiscovery, ofUserNamed recordName: String, tenant: Tenant) throws {
        try run(
            """
            UPDATE user SET discoverable = ?, given_name = ?, family_name = ?
            WHERE tenant = ? AND record_name = ?
            """, discovery.isAllowed.map { .int($0 ? 1 : 0) } ?? .null, .text(discovery.givenName),
            .text(discovery.familyName), .int(try makeTenant(tenant)), .text(recordName))
    }

    func deleteUser(named recordName: String, of tenant: Tenant) throws {
        try run(
            "DELETE FROM user WHERE tenant = ? AND record_name = ?", .int(try makeTenant(tenant)),
            .text(recordName))
        hasRevoked = true
    }

    func store(_ account: AccountRow) throws {
        try run(
            """
            INSERT INTO sign_in_account (id, address, created_at, disabled) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (id) DO UPDATE SET address = ?2, created_at = ?3, disabled = ?4
            """, .text(account.id), .text(account.address), .int(account.createdAt),
            .int(account.isDisabled ? 1 : 0))
        if account.isDisabled { hasRevoked = true }
    }

    func deleteAccount(_ id: String) throws {
        try run(
            "DELETE FROM token WHERE session IN (SELECT id FROM session WHERE account = ?)", .text(id))
        try run(
            "DELETE FROM receiver WHERE session IN (SELECT id FROM session WHERE account = ?)", .text(id))
        try run("DELETE FROM session WHERE account = ?", .text(id))
        try run("DELETE FROM credential WHERE account = ?", .text(id))
        try run("DELETE FROM account_link WHERE account = ?", .text(id))
        try run("DELETE FROM sign_in_account WHERE id = ?", .text(id))
        hasRevoked = true
    }

    func store(_ credential: CredentialRow) throws {
        let statement = try connection.statement(
            """
            INSERT INTO credential (kind, name, account, secret, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (kind, name) DO UPDATE SET account = ?3, secret = ?4, created_at = ?5
            """)
        statement.bind(credential.kind.rawValue, at: 1)
        statement.bind(credential.name, at: 2)
        statement.bind(credential.account, at: 3)
        statement.bind(blob: credential.secret, at: 4)
        statement.bind(credential.createdAt, at: 5)
        try statement.run()
    }

    func deleteCredential(_ kind: CredentialRow.Kind, named name: String) throws {
        try run("DELETE FROM credential WHERE kind = ? AND name = ?", .text(kind.rawValue), .text(name))
    }

    func insert(_ link: AccountLinkRow, digest: [UInt8]) throws {
        let tenant = try makeTenant(link.tenant)
        let statement = try connection.statement(
            """
            INSERT INTO account_link (digest, purpose, account, address, tenant, api_token, created_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """)
        statement.bind(blob: digest, at: 1)
        statement.bind(link.purpose.rawValue, at: 2)
        statement.bind(link.account, at: 3)
        statement.bind(link.address, at: 4)
        statement.bind(tenant, at: 5)
        statement.bind(link.apiToken, at: 6)
        statement.bind(link.createdAt, at: 7)
        statement.bind(link.expiresAt, at: 8)
        try statement.run()
    }

    func deleteAccountLink(digest: [UInt8]) throws {
        let statement = try connection.statement("DELETE FROM account_link WHERE digest = ?")
        statement.bind(blob: digest, at: 1)
        try statement.run()
    }

    func deleteAccountLinks(to address: String, of account: String?) throws {
        try run("DELETE FROM account_link WHERE address = ?", .text(address))
        if let account { try run("DELETE FROM account_link WHERE account = ?", .text(account)) }
    }

    func deleteAccountLinks(expiredBefore time: Int64) throws {
        try run("DELETE FROM account_link WHERE expires_at < ?", .int(time))
    }

    func store(_ session: SessionRow) throws {
        let tenant = try makeTenant(session.tenant)
        let statement = try connection.statement(
            """
            INSERT INTO session (id, tenant, user, account, label, created_at, seen_at, ends_at, idle, api_token)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            ON CONFLICT (id) DO UPDATE SET label = ?5, seen_at = ?7, ends_at = ?8, idle = ?9
            """)
        statement.bind(session.id, at: 1)
        statement.bind(tenant, at: 2)
        statement.bind(session.user, at: 3)
        statement.bind(session.account, at: 4)
        statement.bind(session.label, at: 5)
        statement.bind(session.createdAt, at: 6)
        statement.bind(session.seenAt, at: 7)
        statement.bind(session.endsAt, at: 8)
        statement.bind(session.idleMilliseconds, at: 9)
        if let apiToken = session.apiToken {
            statement.bind(blob: apiToken, at: 10)
        } else {
            statement.bindNull(at: 10)
        }
        try statement.run()
    }

    func deleteSessions(ofAPIToken digest: [UInt8]) throws {
        for sql in [
            "DELETE FROM token WHERE session IN (SELECT id FROM session WHERE api_token = ?)",
            "DELETE FROM receiver WHERE session IN (SELECT id FROM session WHERE api_token = ?)",
            "DELETE FROM session WHERE api_token = ?",
        ] {
            let statement = try connection.statement(sql)
            statement.bind(blob: digest, at: 1)
            try statement.run()
        }
        hasRevoked = true
    }

    func deleteSession(_ id: String) throws {
        try run("DELETE FROM token WHERE session = ?", .text(id))
        try run("DELETE FROM receiver WHERE session = ?", .text(id))
        try run("DELETE FROM session WHERE id = ?", .text(id))
        hasRevoked = true
    }

    func deleteSessions(endedBefore time: Int64, after id: String, limit: Int) throws -> String? {
        let statement = try connection.statement(
            """
            SELECT id, ends_at < ?1 OR NOT EXISTS (
                SELECT 1 FROM token
                WHERE token.session = session.id AND (token.expires_at IS NULL OR token.expires_at >= ?1))
            FROM session WHERE id > ?2 ORDER BY id LIMIT ?3
            """)
        defer { statement.reset() }
        statement.bind(time, at: 1)
        statement.bind(id, at: 2)
        statement.bind(Int64(limit), at: 3)
        var last: String?
        var ended: [String] = []
        while try statement.step() {
            last = statement.text(0)
            if statement.int(1) > 0 { ended.append(statement.text(0)) }
        }
        for id in ended { try deleteSession(id) }
        return last
    }

    func setSuccession(_ succession: TokenSuccession, expiresAt: Int64?, ofToken digest: [UInt8]) throws {
        let statement = try connection.statement(
            "UPDATE token SET session = ?, previous = ?, replaced_at = ?, expires_at = ? WHERE digest = ?")
        statement.bind(succession.session, at: 1)
        if let previous = succession.previous {
            statement.bind(blob: previous, at: 2)
        } else {
            statement.bindNull(at: 2)
        }
        statement.bind(succession.replacedAt.map { .int($0) } ?? StorageValue.null, at: 3)
        statement.bind(expiresAt.map { .int($0) } ?? StorageValue.null, at: 4)
        statement.bind(blob: digest, at: 5)
        try statement.run()
    }

    func deleteTokens(of session: String, replacedBefore time: Int64) throws {
        try run("DELETE FROM token WHERE session = ? AND replaced_at < ?", .text(session), .int(time))
    }

    func store(_ policy: SignInPolicyRow) throws {
        let tenant = try makeTenant(policy.tenant)
        let statement = try connection.statement(
            """
            INSERT INTO sign_in_policy (tenant, admission, invited, title, public_records, color, logo)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (tenant) DO UPDATE SET admission = ?2, invited = ?3, title = ?4, public_records = ?5,
                color = ?6, logo = ?7
            """)
        statement.bind(tenant, at: 1)
        statement.bind(policy.admission.rawValue, at: 2)
        statement.bind(policy.invited.lines, at: 3)
        statement.bind(policy.title, at: 4)
        statement.bind(policy.publicRecords.rawValue, at: 5)
        statement.bind(policy.color, at: 6)
        if let logo = policy.logo {
            statement.bind(blob: logo, at: 7)
        } else {
            statement.bindNull(at: 7)
        }
        try statement.run()
    }

    func store(_ erasure: ErasureRow) throws {
        try run(
            """
            INSERT INTO erasure (tenant, user, public_records, created_at) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (tenant, user) DO UPDATE SET public_records = ?3, created_at = ?4
            """, .int(try makeTenant(erasure.tenant)), .text(erasure.user),
            .text(erasure.publicRecords.rawValue), .int(erasure.createdAt))
    }

    func deleteErasure(ofUserNamed name: String, in tenant: Tenant) throws {
        try run(
            "DELETE FROM erasure WHERE tenant = ? AND user = ?", .int(try makeTenant(tenant)), .text(name))
    }

    func store(_ provider: SignInProviderRow) throws {
        let statement = try connection.statement(
            """
            INSERT INTO sign_in_provider
                (tenant, name, title, issuer, client, secret, key_id, team, scopes, posts_form, created_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            ON CONFLICT (tenant, name) DO UPDATE SET title = ?3, issuer = ?4, client = ?5, secret = ?6,
                key_id = ?7, team = ?8, scopes = ?9, posts_form = ?10, created_at = ?11
            """)
        statement.bind(try makeTenant(provider.tenant), at: 1)
        statement.bind(provider.name, at: 2)
        statement.bind(provider.title, at: 3)
        statement.bind(provider.issuer, at: 4)
        statement.bind(provider.clientID, at: 5)
        statement.bind(blob: provider.secret, at: 6)
        statement.bind(provider.keyID, at: 7)
        statement.bind(provider.team, at: 8)
        statement.bind(provider.scopes, at: 9)
        statement.bind(Int64(provider.postsForm ? 1 : 0), at: 10)
        statement.bind(provider.createdAt, at: 11)
        try statement.run()
    }

    func deleteSignInProvider(named name: String, of tenant: Tenant) throws {
        try run(
            "DELETE FROM sign_in_provider WHERE tenant = ? AND name = ?", .int(try makeTenant(tenant)),
            .text(name))
    }
}
