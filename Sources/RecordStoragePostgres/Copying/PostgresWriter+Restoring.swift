internal import PostgresAccess
internal import RecordModel
internal import RecordStorage
internal import RecordWire

extension PostgresWriter {
    func restore(_ rows: [StoreRow]) throws {
        var zones: [Int64: ZoneRow] = [:]
        var types: [Int64: RecordType] = [:]
        for row in rows {
            switch row {
            case .tenant(let tenant, let roles):
                _ = try makeTenant(tenant)
                try setRoles(roles, tenant: tenant)
            case .type(let row): try restore(row)
            case .database(let row):
                try write(
                    Self.restoreDatabaseStatement, .int(row.number), .int(try makeTenant(row.id.tenant)),
                    .text(PostgresText.encoded(row.id.owner ?? "")), .int(row.forgottenUntil))
                if let key = row.key { try store(databaseKey: key, of: row.number) }
            case .zone(let zone):
                try write(
                    Self.restoreZoneStatement, .int(zone.id), .int(zone.database),
                    .text(PostgresText.encoded(zone.name)), .int(zone.sequence), .bool(zone.isDeleted),
                    .int(zone.forgottenUntil))
            case .record(let record): try restore(record, &zones, &types)
            case .asset(let content, let createdAt, let unusedSince):
                try write(
                    Self.restoreAssetStatement, .bytes(content.digest.bytes), .int(content.size),
                    .int(createdAt), unusedSince.map { .int($0.mark) } ?? .null)
            case .version(let row): try insert(row)
            case .audit(let row): try restore(row)
            case .described(let row):
                guard let table = Catalogue.shape(of: row.section) else { continue }
                try store(row.values, in: table, replacing: false)
            case .counters(let counters): try restore(counters)
            }
        }
    }

    func markUnfinishedCopy(_ isUnfinished: Bool) throws {
        try write(
            PostgresStatement("UPDATE meta SET value = $1 WHERE key = 'layout'", .int8),
            .int(isUnfinished ? PostgresLayout.unfinishedCopy : PostgresLayout.version))
    }

    private static let restoreDatabaseStatement = PostgresStatement(
        "INSERT INTO database (id, tenant, owner, horizon) VALUES ($1, $2, $3, $4)", .int8, .int8, .text,
        .int8)
    private static let restoreZoneStatement = PostgresStatement(
        """
        INSERT INTO zone (id, database, name, sequence, deleted, horizon) VALUES ($1, $2, $3, $4, $5, $6)
        """, .int8, .int8, .text, .int8, .bool, .int8)
    private static let restoreTombstoneStatement = PostgresStatement(
        """
        INSERT INTO directory (zone, name, type, id, sequence, tracked, deleted)
        VALUES ($1, $2, $3, $4, $5, true, true)
        """, .int8, .text, .int8, .int8, .int8)
    private static let restoreAssetStatement = PostgresStatement(
        "INSERT INTO asset (digest, size, created_at, unused_since) VALUES ($1, $2, $3, $4)", .bytea, .int8,
        .int8, .int8)
    private static let restoreAuditStatement = PostgresStatement(
        """
        INSERT INTO audit (id, at, operator, action, container, environment, subject, request)
        OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        """, .int8, .int8, .text, .text, .text, .text, .text, .text)

    private func restore(_ row: CopiedType) throws {
        try write(
            PostgresStatement(
                "INSERT INTO record_type (id, tenant, name, last_field) VALUES ($1, $2, $3, $4)", .int8,
                .int8,
                .text, .int8),
            .int(row.type.id), .int(try makeTenant(row.tenant)), .text(row.type.name),
            .int(Int64(row.lastColumn)))
        var type = try makeTable(of: RecordType(name: row.type.name, id: row.type.id), tenant: row.tenant)
        for field in row.type.fields { type = try insert(field, into: type, tenant: row.tenant) }
        type = try setAnnotations(
            systemIndexes: row.type.systemIndexes, grants: row.type.grants, of: type, tenant: row.tenant)
        _ = try setKeeping(row.type.keeping, of: type, tenant: row.tenant)
    }

    private func restore(
        _ record: CopiedRecord, _ zones: inout [Int64: ZoneRow], _ types: inout [Int64: RecordType]
    ) throws {
        guard let state = record.state else {
            return try write(
                Self.restoreTombstoneStatement, .int(record.zone), .text(PostgresText.encoded(record.name)),
                .int(record.type), .int(record.id), .int(record.sequence))
        }
        let found = try zones[record.zone] ?? zone(numbered: record.zone)
        guard let zone = found, let type = types[record.type] ?? catalog.schemas.recordType(record.type)
        else {
            throw StorageError.engine("The zone or the type of the record '\(record.name)' is missing.")
        }
        zones[record.zone] = zone
        types[record.type] = type
        let fields = try RecordBody.indexedFields(of: state.body, type: type)
        guard let new = record.newRecord(zone: zone, type: type, fields: fields) else { return }
        try insert(new, id: record.id)
    }

    private func restore(_ row: AuditRow) throws {
        try write(
            Self.restoreAuditStatement, .int(row.id), .int(row.at),
            .text(PostgresText.encoded(row.operatorName)), .text(row.action),
            row.tenant.map { .text($0.container.rawValue) } ?? .null,
            row.tenant.map { .text($0.environment.rawValue) } ?? .null,
            .text(PostgresText.encoded(row.subject)), .text(PostgresText.encoded(row.requestID)))
    }

    private func restore(_ counters: StoreCounters) throws {
        raise(sequence: counters.sequence)
        let statement = PostgresStatement(
            "UPDATE meta SET value = greatest(value, $1) WHERE key = $2", .int8, .text)
        try write(statement, .int(counters.zone), .text("zone"))
        try write(statement, .int(counters.type), .text("type"))
        try write(statement, .int(counters.forgottenChanges), .text("changeHorizon"))
        try write(statement, .int(Catalogue.firstWatchVersion), .text("watchVersion"))
        // A sequence's first number is 1, so 0 is 'not yet called'.
        _ = try ask(
            PostgresStatement("SELECT setval('audit_id_seq', greatest($1, 1), $1 > 0)", .int8),
            .int(counters.audit))
        // Records come before the files that they refer to, so what they hold was not known then.
        try write(PostgresCommand(sql: Self.countAssets))
    }

    private static let countAssets = """
        UPDATE database SET asset_bytes = found.bytes FROM (
            SELECT zone.database AS id, sum(asset.size) AS bytes
            FROM asset_use JOIN asset USING (digest) JOIN zone ON zone.id = asset_use.zone
            GROUP BY zone.database) AS found
        WHERE found.id = database.id
        """
}
