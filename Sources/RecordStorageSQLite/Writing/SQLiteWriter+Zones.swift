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
}
