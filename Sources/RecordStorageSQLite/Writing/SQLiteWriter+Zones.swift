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
        guard connection.lastInsertedID <= RowID.lastZone else {
            throw StorageError.engine("All of the numbers for zones are used up.")
        }
        return ZoneRow(
            id: connection.lastInsertedID, database: database, name: name, sequence: sequence,
            isDeleted: false)
    }

    func deleteZone(_ zone: ZoneRow) throws {
        let types = try connection.statement(
            "SELECT DISTINCT type FROM directory WHERE zone = ? AND deleted = 0")
        types.bind(zone.id, at: 1)
        var numbers: [Int64] = []
        while try types.step() { numbers.append(types.int(0)) }
        for type in numbers {
            for table in ["r\(type)", "b\(type)"] {
                try run(
                    "DELETE FROM \(table) WHERE id BETWEEN ? AND ?",
                    .int(RowID.first(of: zone.id)), .int(RowID.last(of: zone.id)))
            }
        }
        try run("DELETE FROM directory WHERE zone = ?", .int(zone.id))
        try run("DELETE FROM reference WHERE zone = ?", .int(zone.id))
        try releaseAssets(ofZone: zone.id)
        try run(
            "UPDATE zone SET deleted = 1, sequence = ? WHERE id = ?", .int(try nextSequence()), .int(zone.id))
    }

    // MARK: Access

    func insert(_ token: TokenRow, digest: [UInt8]) throws {
        let tenant = try makeTenant(token.tenant)
        let statement = try connection.statement(
            """
            INSERT INTO token (digest, kind, tenant, user, label, created_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        statement.bind(blob: digest, at: 1)
        statement.bind(token.kind.rawValue, at: 2)
        statement.bind(tenant, at: 3)
        statement.bind(token.user, at: 4)
        statement.bind(token.label, at: 5)
        statement.bind(token.createdAt, at: 6)
        statement.bind(token.expiresAt.map { .int($0) } ?? StorageValue.null, at: 7)
        try statement.run()
    }

    func deleteToken(digest: [UInt8]) throws {
        let statement = try connection.statement("DELETE FROM token WHERE digest = ?")
        statement.bind(blob: digest, at: 1)
        try statement.run()
    }

    func insert(_ user: UserRow) throws {
        let tenant = try makeTenant(user.tenant)
        try run(
            "INSERT INTO user (tenant, record_name, label, created_at) VALUES (?, ?, ?, ?)",
            .int(tenant), .text(user.recordName), .text(user.label), .int(user.createdAt))
    }
}
