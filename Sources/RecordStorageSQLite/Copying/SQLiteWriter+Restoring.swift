import RecordModel
import RecordStorage
import RecordWire
import SQLiteAccess

extension SQLiteWriter {
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
                try run(
                    "INSERT INTO database (id, tenant, owner, horizon) VALUES (?, ?, ?, ?)", .int(row.number),
                    .int(try makeTenant(row.id.tenant)), .text(row.id.owner ?? ""), .int(row.forgottenUntil))
                if let key = row.key { try store(databaseKey: key, of: row.number) }
            case .zone(let zone): try restore(zone)
            case .record(let record): try restore(record, &zones, &types)
            case .asset(let content, let createdAt, let unusedSince):
                try restore(content, createdAt: createdAt, unusedSince)
            case .version(let row): try insert(row)
            case .audit(let row):
                // The next one gets one more than the highest that was ever there.
                try setCounter("audit", row.id - 1)
                try insert(row)
            case .described(let row):
                guard let table = Catalogue.shape(of: row.section) else { continue }
                try store(row.values, in: table, replacing: false)
            case .counters(let counters):
                raise(sequence: counters.sequence)
                try setCounter("zone", counters.zone)
                try setCounter("record_type", counters.type)
                try setCounter("audit", counters.audit)
                try connection.set(.changeHorizon, to: counters.forgottenChanges)
                try connection.set(
                    .watchVersion, to: max(connection.meta(.watchVersion), Catalogue.firstWatchVersion))
                try countAssets()
            }
        }
    }

    /// Counts the bytes of files: records come before the files that they refer to, so what they hold was not known then.
    private func countAssets() throws {
        try run(
            """
            UPDATE database SET asset_bytes = (
                SELECT coalesce(sum(asset.size), 0) FROM zone
                JOIN asset_use ON asset_use.zone = zone.id JOIN asset ON asset.digest = asset_use.digest
                WHERE zone.database = database.id)
            """)
        try run(
            """
            UPDATE tenant SET asset_bytes = (
                SELECT coalesce(sum(asset_bytes), 0) FROM database WHERE database.tenant = tenant.id)
            """)
    }

    func markUnfinishedCopy(_ isUnfinished: Bool) throws {
        let name = StorageValue.text(Migrations.unfinishedCopy)
        if isUnfinished {
            try run("INSERT OR IGNORE INTO grdb_migrations (identifier) VALUES (?)", name)
        } else {
            try run("DELETE FROM grdb_migrations WHERE identifier = ?", name)
        }
    }

    private func setCounter(_ table: String, _ value: Int64) throws {
        try run("DELETE FROM sqlite_sequence WHERE name = ?", .text(table))
        try run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", .text(table), .int(value))
    }

    private func restore(_ row: CopiedType) throws {
        try run(
            "INSERT INTO record_type (id, tenant, name, last_field) VALUES (?, ?, ?, ?)", .int(row.type.id),
            .int(try makeTenant(row.tenant)), .text(row.type.name), .int(Int64(row.lastColumn)))
        var type = try makeTables(of: RecordType(name: row.type.name, id: row.type.id), tenant: row.tenant)
        for field in row.type.fields { type = try insert(field, into: type, tenant: row.tenant) }
        type = try setAnnotations(
            systemIndexes: row.type.systemIndexes, grants: row.type.grants, of: type, tenant: row.tenant)
        _ = try setKeeping(row.type.keeping, of: type, tenant: row.tenant)
    }

    private func restore(_ zone: ZoneRow) throws {
        try run(
            "INSERT INTO zone (id, database, name, sequence, deleted, horizon) VALUES (?, ?, ?, ?, ?, ?)",
            .int(zone.id), .int(zone.database), .text(zone.name), .int(zone.sequence),
            .int(zone.isDeleted ? 1 : 0), .int(zone.forgottenUntil))
        if zone.isTracked, !zone.isDeleted {
            try run("UPDATE database SET zones = zones + 1 WHERE id = ?", .int(zone.database))
        }
    }

    private func restore(
        _ record: CopiedRecord, _ zones: inout [Int64: ZoneRow], _ types: inout [Int64: RecordType]
    ) throws {
        let zone = try zones[record.zone] ?? zoneRow(record.zone)
        zones[record.zone] = zone
        guard let state = record.state else {
            return try run(
                """
                INSERT INTO directory (zone, name, type, id, sequence, tracked, deleted)
                VALUES (?, ?, ?, ?, ?, 1, 1)
                """, .int(record.zone), .text(record.name), .int(record.type), .int(record.id),
                .int(record.sequence))
        }
        guard let type = types[record.type] ?? catalog.recordType(record.type) else {
            throw StorageError.engine("The record '\(record.name)' is of a type that is missing.")
        }
        types[record.type] = type
        let fields = try RecordBody.indexedFields(of: state.body, type: type)
        guard let new = record.newRecord(zone: zone, type: type, fields: fields) else { return }
        try insert(new, id: record.id)
    }

    private func zoneRow(_ id: Int64) throws -> ZoneRow {
        let statement = try connection.statement("SELECT database, name, sequence FROM zone WHERE id = ?")
        defer { statement.reset() }
        statement.bind(id, at: 1)
        guard try statement.step() else {
            throw StorageError.engine("A record is in a zone that is missing.")
        }
        return ZoneRow(
            id: id, database: statement.int(0), name: statement.text(1), sequence: statement.int(2),
            isDeleted: false)
    }

    private func restore(
        _ content: AssetContent, createdAt: Int64, _ unusedSince: AssetRow.UnusedSince?
    ) throws {
        let statement = try connection.statement(
            "INSERT INTO asset (digest, size, created_at, unused_since) VALUES (?, ?, ?, ?)")
        statement.bind(blob: content.digest.bytes, at: 1)
        statement.bind(content.size, at: 2)
        statement.bind(createdAt, at: 3)
        statement.bind(unusedSince.map { StorageValue.int($0.mark) } ?? .null, at: 4)
        try statement.run()
    }
}
