internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresWriter {
    private static let tenantStatement = PostgresStatement(
        "INSERT INTO tenant (container, environment) VALUES ($1, $2) RETURNING id", .text, .text)

    /// The number of a tenant, made where it is missing.
    func makeTenant(_ tenant: Tenant) throws -> Int64 {
        if let number = catalog.tenants[tenant] { return number }
        let number = try ask(
            Self.tenantStatement, .text(tenant.container.rawValue), .text(tenant.environment.rawValue)
        ).int(0, 0)
        catalog.tenants[tenant] = number
        catalog.schemas[tenant] = Schema()
        markCatalogChanged()
        return number
    }

    // Writes follow each other, so the next number is one more than the highest; it is never given again: databases
    // never go, and where rows of zones go, or the store was copied, `meta` has the highest number that there was.
    private static let makeDatabaseStatement = PostgresStatement(
        "INSERT INTO database SELECT coalesce(max(id), 0) + 1, $1, $2 FROM database RETURNING id", .int8,
        .text)
    private static let makeZoneStatement = PostgresStatement(
        "INSERT INTO zone SELECT greatest(max(id), (SELECT value FROM meta WHERE key = 'zone')) + 1, $1, $2, $3 FROM zone RETURNING id",
        .int8, .text, .int8)

    func makeDatabase(_ id: DatabaseID) throws -> Int64 {
        if let number = try database(id) { return number }
        let tenant = try makeTenant(id.tenant)
        let number = try askKeeping(
            Self.makeDatabaseStatement, .int(tenant), .text(PostgresText.encoded(id.owner ?? ""))
        ).int(0, 0)
        foreseen.made(number, of: id)
        _ = try makeZone(named: ZoneID.defaultName, in: number)
        return number
    }

    /// Asks something that changes what is foreseen, which the caller keeps up.
    private func askKeeping(_ statement: PostgresStatement, _ values: PostgresValue...) throws -> PostgresRows
    {
        let kept = foreseen
        defer { foreseen = kept }
        return try ask(PostgresCommand(statement, values: values))
    }

    func makeZone(named name: String, in database: Int64) throws -> ZoneRow {
        let sequence = try nextSequence()
        let number = try askKeeping(
            Self.makeZoneStatement, .int(database), .text(PostgresText.encoded(name)), .int(sequence)
        ).int(0, 0)
        guard number <= RowID.lastZone else {
            throw StorageError.usedUp("zones")
        }
        let zone = ZoneRow(id: number, database: database, name: name, sequence: sequence, isDeleted: false)
        foreseen.set(zone)
        try log(.zoneCreated, zone, sequence: sequence)
        return zone
    }

    private static let typesOfZoneStatement = PostgresStatement(
        "SELECT DISTINCT type FROM directory WHERE zone = $1 AND NOT deleted", .int8)
    private static let buryZoneStatement = PostgresStatement(
        "UPDATE zone SET deleted = true, sequence = $1 WHERE id = $2", .int8, .int8)

    private static let deleteSubscriptionsOfZoneStatement = PostgresStatement(
        "DELETE FROM subscription WHERE database = $1 AND zone = $2", .int8, .int8)

    func deleteZone(_ zone: ZoneRow) throws {
        let types = try ask(Self.typesOfZoneStatement, .int(zone.id))
        for row in 0..<types.count {
            try write(
                PostgresStatement(Self.removal(ofType: types.int(row, 0), where: "zone = $1"), .int8),
                .int(zone.id))
        }
        try write(PostgresStatement("DELETE FROM directory WHERE zone = $1", .int8), .int(zone.id))
        try write(PostgresStatement("DELETE FROM reference WHERE zone = $1", .int8), .int(zone.id))
        try releaseAssets(ofZone: zone.id)
        try forgetVersions(ofZone: zone.id)
        let sequence = try nextSequence()
        try write(Self.buryZoneStatement, .int(sequence), .int(zone.id))
        try log(.zoneDeleted, zone, sequence: sequence)
        try write(Self.deleteSubscriptionsOfZoneStatement, .int(zone.database), .int(zone.id))
    }
}
