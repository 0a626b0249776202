internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresWriter {
    private static func text(_ text: String) -> PostgresValue { .text(PostgresText.encoded(text)) }

    func setLabel(_ label: String, ofUserNamed recordName: String, tenant: Tenant) throws {
        try write(
            PostgresStatement(
                "UPDATE account SET label = $1 WHERE tenant = $2 AND record_name = $3", .text, .int8, .text),
            Self.text(label), .int(try makeTenant(tenant)), Self.text(recordName))
    }

    func setDiscovery(_ discovery: UserDiscovery, ofUserNamed recordName: String, tenant: Tenant) throws {
        try write(
            PostgresStatement(
                """
                UPDATE account SET discoverable = $1, given_name = $2, family_name = $3
                WHERE tenant = $4 AND record_name = $5
                """, .int8, .text, .text, .int8, .text),
            discovery.isAllowed.map { .int($0 ? 1 : 0) } ?? .null,
            .text(PostgresText.encoded(discovery.givenName)),
            .text(PostgresText.encoded(discovery.familyName)), .int(try makeTenant(tenant)),
            .text(PostgresText.encoded(recordName)))
    }

    func deleteUser(named recordName: String, of tenant: Tenant) throws {
        try write(
            PostgresStatement("DELETE FROM account WHERE tenant = $1 AND record_name = $2", .int8, .text),
            .int(try makeTenant(tenant)), Self.text(recordName))
        hasRevoked = true
    }

    private static let storeAccountStatement = PostgresStatement(
        """
        INSERT INTO sign_in_account (id, address, created_at, disabled) VALUES ($1, $2, $3, $4)
        ON CONFLICT (id) DO UPDATE SET address = $2, created_at = $3, disabled = $4
        """, .text, .text, .int8, .bool)

    func store(_ account: AccountRow) throws {
        try write(
            Self.storeAccountStatement, Self.text(account.id), Self.text(account.address),
            .int(account.createdAt), .bool(account.isDisabled))
        if account.isDisabled { hasRevoked = true }
    }

    func deleteAccount(_ id: String) throws {
        for sql in [
            "DELETE FROM token WHERE session IN (SELECT id FROM session WHERE account = $1)",
            "DELETE FROM receiver WHERE session IN (SELECT id FROM session WHERE account = $1)",
            "DELETE FROM session WHERE account = $1",
            "DELETE FROM credential WHERE account = $1",
            "DELETE FROM account_link WHERE account = $1",
            "DELETE FROM sign_in_account WHERE id = $1",
        ] {
            try write(PostgresStatement(sql, .text), Self.text(id))
        }
        hasRevoked = true
    }

    private static let storeCredentialStatement = PostgresStatement(
        """
        INSERT INTO credential (kind, name, account, secret, created_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (kind, name) DO UPDATE SET account = $3, secret = $4, created_at = $5
        """, .text, .text, .text, .bytea, .int8)

    func store(_ credential: CredentialRow) throws {
        try write(
            Self.storeCredentialStatement, .text(credential.kind.rawValue), Self.text(credential.name),
            Self.text(credential.account), .bytes(credential.secret), .int(credential.createdAt))
    }

    func deleteCredential(_ kind: CredentialRow.Kind, named name: String) throws {
        try write(
            PostgresStatement("DELETE FROM credential WHERE kind = $1 AND name = $2", .text, .text),
            .text(kind.rawValue), Self.text(name))
    }

    private static let insertLinkStatement = PostgresStatement(
        """
        INSERT INTO account_link (digest, purpose, account, address, tenant, api_token, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        """, .bytea, .text, .text, .text, .int8, .text, .int8, .int8)

    func insert(_ link: AccountLinkRow, digest: [UInt8]) throws {
        try write(
            Self.insertLinkStatement, .bytes(digest), .text(link.purpose.rawValue),
            link.account.map { Self.text($0) } ?? .null, Self.text(link.address),
            .int(try makeTenant(link.tenant)), link.apiToken.map { Self.text($0) } ?? .null,
            .int(link.createdAt), .int(link.expiresAt))
    }

    func deleteAccountLink(digest: [UInt8]) throws {
        try write(PostgresStatement("DELETE FROM account_link WHERE digest = $1", .bytea), .bytes(digest))
    }

    func deleteAccountLinks(to address: String, of account: String?) throws {
        try write(
            PostgresStatement("DELETE FROM account_link WHERE address = $1", .text), Self.text(address))
        guard let account else { return }
        try write(
            PostgresStatement("DELETE FROM account_link WHERE account = $1", .text), Self.text(account))
    }

    func deleteAccountLinks(expiredBefore time: Int64) throws {
        try write(PostgresStatement("DELETE FROM account_link WHERE expires_at < $1", .int8), .int(time))
    }

    private static let storeSessionStatement = PostgresStatement(
        """
        INSERT INTO session (id, tenant, "user", account, label, created_at, seen_at, ends_at, idle, api_token)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (id) DO UPDATE SET label = $5, seen_at = $7, ends_at = $8, idle = $9
        """, .text, .int8, .text, .text, .text, .int8, .int8, .int8, .int8, .bytea)

    func store(_ session: SessionRow) throws {
        try write(
            Self.storeSessionStatement, Self.text(session.id), .int(try makeTenant(session.tenant)),
            Self.text(session.user), Self.text(session.account), Self.text(session.label),
            .int(session.createdAt), .int(session.seenAt), .int(session.endsAt),
            .int(session.idleMilliseconds), session.apiToken.map { .bytes($0) } ?? .null)
    }

    func deleteSessions(ofAPIToken digest: [UInt8]) throws {
        let ofApp = "(SELECT id FROM session WHERE api_token = $1)"
        for sql in [
            "DELETE FROM token WHERE session IN \(ofApp)", "DELETE FROM receiver WHERE session IN \(ofApp)",
            "DELETE FROM session WHERE api_token = $1",
        ] {
            try write(PostgresStatement(sql, .bytea), .bytes(digest))
        }
        hasRevoked = true
    }

    func deleteSession(_ id: String) throws {
        try write(PostgresStatement("DELETE FROM token WHERE session = $1", .text), Self.text(id))
        try write(PostgresStatement("DELETE FROM receiver WHERE session = $1", .text), Self.text(id))
        try write(PostgresStatement("DELETE FROM session WHERE id = $1", .text), Self.text(id))
        hasRevoked = true
    }

    private static let endedSessionsStatement = PostgresStatement(
        """
        SELECT id, ends_at < $1 OR NOT EXISTS (
            SELECT 1 FROM token
            WHERE token.session = session.id AND (token.expires_at IS NULL OR token.expires_at >= $1))
        FROM session WHERE id > $2 ORDER BY id LIMIT $3
        """, .int8, .text, .int8)

    func deleteSessions(endedBefore time: Int64, after id: String, limit: Int) throws -> String? {
        let rows = try ask(Self.endedSessionsStatement, .int(time), Self.text(id), .int(Int64(limit)))
        let ids = (0..<rows.count).map { PostgresText.decoded(rows.text($0, 0)) }
        for (row, id) in ids.enumerated() where rows.bool(row, 1) { try deleteSession(id) }
        return ids.last
    }

    private static let setSuccessionStatement = PostgresStatement(
        """
        UPDATE token SET session = $1, previous = $2, replaced_at = $3, expires_at = $4 WHERE digest = $5
        """, .text, .bytea, .int8, .int8, .bytea)

    func setSuccession(_ succession: TokenSuccession, expiresAt: Int64?, ofToken digest: [UInt8]) throws {
        try write(
            Self.setSuccessionStatement, Self.text(succession.session),
            succession.previous.map { .bytes($0) } ?? .null, succession.replacedAt.map { .int($0) } ?? .null,
            expiresAt.map { .int($0) } ?? .null, .bytes(digest))
    }

    func deleteTokens(of session: String, replacedBefore time: Int64) throws {
        try write(
            PostgresStatement("DELETE FROM token WHERE session = $1 AND replaced_at < $2", .text, .int8),
            Self.text(session), .int(time))
    }

    private static let storePolicyStatement = PostgresStatement(
        """
        INSERT INTO sign_in_policy (tenant, admission, invited, title, public_records, color, logo)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (tenant) DO UPDATE SET admission = $2, invited = $3, title = $4, public_records = $5,
            color = $6, logo = $7
        """, .int8, .text, .text, .text, .text, .text, .bytea)

    func store(_ policy: SignInPolicyRow) throws {
        try write(
            Self.storePolicyStatement, .int(try makeTenant(policy.tenant)), .text(policy.admission.rawValue),
            Self.text(policy.invited.lines), Self.text(policy.title), .text(policy.publicRecords.rawValue),
            Self.text(policy.color), policy.logo.map { .bytes($0) } ?? .null)
    }

    private static let storeErasureStatement = PostgresStatement(
        """
        INSERT INTO erasure (tenant, "user", public_records, created_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (tenant, "user") DO UPDATE SET public_records = $3, created_at = $4
        """, .int8, .text, .text, .int8)

    func store(_ erasure: ErasureRow) throws {
        try write(
            Self.storeErasureStatement, .int(try makeTenant(erasure.tenant)), Self.text(erasure.user),
            .text(erasure.publicRecords.rawValue), .int(erasure.createdAt))
    }

    func deleteErasure(ofUserNamed name: String, in tenant: Tenant) throws {
        try write(
            PostgresStatement("DELETE FROM erasure WHERE tenant = $1 AND \"user\" = $2", .int8, .text),
            .int(try makeTenant(tenant)), Self.text(name))
    }

    private static let storeProviderStatement = PostgresStatement(
        """
        INSERT INTO sign_in_provider
            (tenant, name, title, issuer, client, secret, key_id, team, scopes, posts_form, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        ON CONFLICT (tenant, name) DO UPDATE SET title = $3, issuer = $4, client = $5, secret = $6, key_id = $7,
            team = $8, scopes = $9, posts_form = $10, created_at = $11
        """, .int8, .text, .text, .text, .text, .bytea, .text, .text, .text, .bool, .int8)

    func store(_ provider: SignInProviderRow) throws {
        try write(
            Self.storeProviderStatement, .int(try makeTenant(provider.tenant)), Self.text(provider.name),
            Self.text(provider.title), Self.text(provider.issuer), Self.text(provider.clientID),
            .bytes(provider.secret), Self.text(provider.keyID), Self.text(provider.team),
            Self.text(provider.scopes), .bool(provider.postsForm), .int(provider.createdAt))
    }

    func deleteSignInProvider(named name: String, of tenant: Tenant) throws {
        try write(
            PostgresStatement(
                "DELETE FROM sign_in_provider WHERE tenant = $1 AND name = $2", .int8, .text),
            .int(try makeTenant(tenant)), Self.text(name))
    }
}
