import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteWriter {
    /// The number of a tenant, made where it is missing.
    func makeTenant(_ tenant: Tenant) throws -> Int64 {
        if let number = try tenantNumber(tenant) { return number }
        try run(
            "INSERT INTO tenant (container, environment) VALUES (?, ?)",
            .text(tenant.container.rawValue), .text(tenant.environment.rawValue))
        catalog.schemas[tenant] = Schema()
        markCatalogChanged()
        return connection.lastInsertedID
    }

    func makeDatabase(_ id: DatabaseID) throws -> Int64 {
        if let number = try database(id) { return number }
        let tenant = try makeTenant(id.tenant)
        try run("INSERT INTO database (tenant, owner) VALUES (?, ?)", .int(tenant), .text(id.owner ?? ""))
        let number = connection.lastInsertedID
        _ = try makeZone(named: ZoneID.defaultName, in: number)
        return number
    }

    func makeZone(named name: String, in database: Int64) throws -> ZoneRow {
        let sequence = try nextSequence()
        try run(
            "INSERT INTO zone (database, name, sequence) VALUES (?, ?, ?)",
            .int(database), .text(name), .int(sequence))
        let id = connection.lastInsertedID
        guard id <= RowID.lastZone else {
            throw StorageError.usedUp("zones")
        }
        if name != ZoneID.defaultName {
            try run("UPDATE database SET zones = zones + 1 WHERE id = ?", .int(database))
        }
        let zone = ZoneRow(id: id, database: database, name: name, sequence: sequence, isDeleted: false)
        try log(.zoneCreated, zone, sequence: sequence)
        return zone
    }

    func deleteZone(_ zone: ZoneRow) throws {
        let sequence = try nextSequence()
        try run(
            "UPDATE zone SET deleted = 1, sequence = ? WHERE id = ? AND deleted = 0",
            .int(sequence), .int(zone.id))
        guard connection.changeCount > 0 else { return }
        try log(.zoneDeleted, zone, sequence: sequence)
        try run(
            "DELETE FROM subscription WHERE database = ? AND zone = ?", .int(zone.database), .int(zone.id))
        if zone.isTracked {
            try run("UPDATE database SET zones = zones - 1 WHERE id = ?", .int(zone.database))
        }
        try begin(BackgroundJob(kind: .zone, zone: zone.id, name: zone.name))
    }

    func deleteCustomZones(of tenant: Tenant) throws {
        guard let tenant = try tenantNumber(tenant) else { return }
        let statement = try connection.statement(
            """
            SELECT zone.id, zone.database, zone.name FROM database CROSS JOIN zone ON zone.database = database.id
            WHERE database.tenant = ? AND zone.deleted = 0 AND zone.name <> '\(ZoneID.defaultName)'
            """)
        defer { statement.reset() }
        statement.bind(tenant, at: 1)
        var zones: [ZoneRow] = []
        while try statement.step() {
            zones.append(
                ZoneRow(
                    id: statement.int(0), database: statement.int(1), name: statement.text(2), sequence: 0,
                    isDeleted: false)
            )
        }
        for zone in zones { try deleteZone(zone) }
    }

    // MARK: Access

    func insert(_ token: TokenRow, digest: [UInt8]) throws {
        let tenant = try makeTenant(token.tenant)
        let statement = try connection.statement(
            """
            INSERT INTO token (digest, kind, tenant, user, label, created_at, expires_at, public_key, used_at,
                session, previous, replaced_at, callback, origins, asks_for_people)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        statement.bind(blob: digest, at: 1)
        statement.bind(token.kind.rawValue, at: 2)
        statement.bind(tenant, at: 3)
        statement.bind(token.user, at: 4)
        statement.bind(token.label, at: 5)
        statement.bind(token.createdAt, at: 6)
        statement.bind(token.expiresAt.map { .int($0) } ?? StorageValue.null, at: 7)
        if let key = token.publicKey { statement.bind(blob: key, at: 8) } else { statement.bindNull(at: 8) }
        statement.bind(token.usedAt.map { .int($0) } ?? StorageValue.null, at: 9)
        statement.bind(token.succession?.session, at: 10)
        if let previous = token.succession?.previous {
            statement.bind(blob: previous, at: 11)
        } else {
            statement.bindNull(at: 11)
        }
        statement.bind(token.succession?.replacedAt.map { .int($0) } ?? StorageValue.null, at: 12)
        statement.bind(token.callback, at: 13)
        statement.bind(token.origins.lines, at: 14)
        statement.bind(Int64(token.asksForPeople ? 1 : 0), at: 15)
        try statement.run()
    }

    func deleteToken(digest: [UInt8]) throws {
        let statement = try connection.statement("DELETE FROM token WHERE digest = ?")
        statement.bind(blob: digest, at: 1)
        try statement.run()
        hasRevoked = true
    }

    func noteUse(ofToken digest: [UInt8], at now: Int64) throws {
        let statement = try connection.statement("UPDATE token SET used_at = ? WHERE digest = ?")
        statement.bind(now, at: 1)
        statement.bind(blob: digest, at: 2)
        try statement.run()
    }

    func insert(_ user: UserRow) throws {
        let tenant = try makeTenant(user.tenant)
        try run(
            """
            INSERT INTO user (tenant, record_name, label, created_at, roles, account, discoverable, given_name,
                family_name, disabled)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .int(tenant), .text(user.recordName), .text(user.label), .int(user.createdAt),
            .text(UserRow.text(ofRoles: user.roles)), user.account.map { .text($0) } ?? .null,
            user.discovery.isAllowed.map { .int($0 ? 1 : 0) } ?? .null, .text(user.discovery.givenName),
            .text(user.discovery.familyName), .int(user.isDisabled ? 1 : 0))
    }

    func setDisabled(_ isDisabled: Bool, ofUserNamed recordName: String, tenant: Tenant) throws {
        try run(
            "UPDATE user SET disabled = ? WHERE tenant = ? AND record_name = ?", .int(isDisabled ? 1 : 0),
            .int(try makeTenant(tenant)), .text(recordName))
        hasRevoked = true
    }

    func setRoles(_ roles: [String], ofUserNamed recordName: String, tenant: Tenant) throws {
        try run(
            "UPDATE user SET roles = ? WHERE tenant = ? AND record_name = ?",
            .text(UserRow.text(ofRoles: roles)), .int(try makeTenant(tenant)), .text(recordName))
        hasRevoked = true
    }
}
