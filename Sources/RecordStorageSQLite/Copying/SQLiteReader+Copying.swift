import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteReader {
    func pagedRows(
        of section: StoreSection, after last: StoreRow?, _ portion: CopyPortion
    ) throws -> [StoreRow] {
        assert(catalog.removedTypes.isEmpty && catalog.removedFields.isEmpty, "The background has work left.")
        switch section {
        case .databases: return try databases(after: last, portion.rows)
        case .zones: return try zones(after: last, portion.rows)
        case .records: return try records(after: last, portion)
        case .assets: return try assets(after: last, portion.rows)
        case .versions: return try versions(after: last, portion)
        default: return []
        }
    }

    func lastColumn(of type: RecordType) throws -> Int {
        let gone = try connection.int("SELECT last_field FROM record_type WHERE id = \(type.id)")
        return max(Int(gone), type.fields.map(\.column).max() ?? 0)
    }

    func counters() throws -> StoreCounters {
        func last(_ table: String) throws -> Int64 {
            try connection.int("SELECT seq FROM sqlite_sequence WHERE name = '\(table)'")
        }
        return StoreCounters(
            sequence: try lastSequence(), zone: try last("zone"), type: try last("record_type"),
            audit: try last("audit"), forgottenChanges: try forgottenChanges())
    }

    private func all(
        _ sql: String, _ bind: (Statement) -> Void = { _ in }, _ row: (Statement) throws -> StoreRow?
    ) throws -> [StoreRow] {
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        bind(statement)
        var rows: [StoreRow] = []
        while try statement.step() {
            if let row = try row(statement) { rows.append(row) }
        }
        return rows
    }

    // MARK: Databases and zones

    private func databases(after last: StoreRow?, _ limit: Int) throws -> [StoreRow] {
        var first: Int64 = 0
        if case .database(let row)? = last { first = row.number }
        let sql = """
            SELECT database.id, container, environment, owner, horizon, data_key
            FROM database JOIN tenant ON tenant.id = database.tenant
            WHERE database.id > ? ORDER BY database.id LIMIT \(limit)
            """
        return try all(sql, { $0.bind(first, at: 1) }) { row in
            guard let tenant = Tenant(row.text(1), row.text(2)) else { return nil }
            let owner = row.text(3)
            return .database(
                CopiedDatabase(
                    number: row.int(0),
                    id: DatabaseID(tenant: tenant, owner: owner.isEmpty ? nil : owner),
                    forgottenUntil: row.int(4), key: Self.key(Array(row.bytes(5)))))
        }
    }

    private func zones(after last: StoreRow?, _ limit: Int) throws -> [StoreRow] {
        var first: Int64 = 0
        if case .zone(let row)? = last { first = row.id }
        let sql = """
            SELECT id, database, name, sequence, deleted, horizon FROM zone
            WHERE id > ? ORDER BY id LIMIT \(limit)
            """
        return try all(sql, { $0.bind(first, at: 1) }) { row in
            .zone(
                ZoneRow(
                    id: row.int(0), database: row.int(1), name: row.text(2), sequence: row.int(3),
                    isDeleted: row.int(4) != 0, forgottenUntil: row.int(5)))
        }
    }

    // MARK: Records

    private func records(after last: StoreRow?, _ portion: CopyPortion) throws -> [StoreRow] {
        let directory = try connection.statement(
            """
            SELECT zone, name, type, id, sequence, deleted FROM directory
            WHERE (zone, name) > (?, ?) ORDER BY zone, name LIMIT ?
            """)
        defer { directory.reset() }
        var start: (zone: Int64, name: String) = (0, "")
        if case .record(let row)? = last { start = (row.zone, row.name) }
        directory.bind(start.zone, at: 1)
        directory.bind(start.name, at: 2)
        directory.bind(Int64(portion.rows), at: 3)
        var rows: [StoreRow] = []
        var room = portion.bytes
        while room > 0, try directory.step() {
            var record = CopiedRecord(
                zone: directory.int(0), name: directory.text(1), type: directory.int(2), id: directory.int(3),
                sequence: directory.int(4), state: nil)
            if directory.int(5) == 0 { try addState(to: &record) }
            room -= record.state?.body.count ?? 0
            rows.append(.record(record))
        }
        return rows
    }

    /// Reads the rest of a record: also its change tag, which the directory follows in tracked zones only.
    private func addState(to record: inout CopiedRecord) throws {
        let statement = try connection.statement(
            """
            SELECT created_by, created_at, modified_by, modified_at, parent, body, sequence
            FROM r\(record.type) AS r JOIN b\(record.type) AS b ON b.id = r.id WHERE r.id = ?
            """)
        defer { statement.reset() }
        statement.bind(record.id, at: 1)
        guard try statement.step() else {
            throw StorageError.engine("The directory names a record that is missing.")
        }
        var state = CopiedRecord.State(
            createdBy: statement.text(0), createdAt: statement.int(1), modifiedBy: statement.text(2),
            modifiedAt: statement.int(3), parent: statement.optionalText(4), body: Array(statement.bytes(5)))
        record.sequence = statement.int(6)
        let references = try connection.statement(
            """
            SELECT field, target, action FROM reference INDEXED BY reference_owner
            WHERE zone = ? AND owner = ? ORDER BY field, target
            """)
        defer { references.reset() }
        references.bind(record.zone, at: 1)
        references.bind(record.name, at: 2)
        while try references.step() {
            state.references.append(
                CopiedReference(
                    field: references.text(0), target: references.text(1),
                    action: Reference.Action(rawValue: references.text(2)) ?? .none))
        }
        let uses = try connection.statement(
            "SELECT field, digest FROM asset_use WHERE zone = ? AND owner = ? ORDER BY field, digest")
        defer { uses.reset() }
        uses.bind(record.zone, at: 1)
        uses.bind(record.name, at: 2)
        while try uses.step() {
            guard let digest = AssetDigest(bytes: Array(uses.bytes(1))) else { continue }
            state.assets.append(CopiedAssetUse(field: uses.text(0), digest: digest))
        }
        record.state = state
    }

    private func versions(after last: StoreRow?, _ portion: CopyPortion) throws -> [StoreRow] {
        var first: Int64 = 0
        if case .version(let row)? = last { first = row.id }
        let statement = try connection.statement(
            "SELECT \(Self.versionColumns) FROM record_version WHERE id > ? ORDER BY id LIMIT ?")
        defer { statement.reset() }
        statement.bind(first, at: 1)
        statement.bind(Int64(portion.rows), at: 2)
        var rows: [StoreRow] = []
        var room = portion.bytes
        while room > 0, try statement.step() {
            var version = Self.version(statement)
            version.assets = try assets(ofVersion: version.id)
            room -= version.body.count
            rows.append(.version(version))
        }
        return rows
    }

    // MARK: Files and access

    private func assets(after last: StoreRow?, _ limit: Int) throws -> [StoreRow] {
        var first: [UInt8] = []
        if case .asset(let content, _, _)? = last { first = content.digest.bytes }
        let sql = """
            SELECT digest, size, created_at, unused_since FROM asset
            WHERE digest > ? ORDER BY digest LIMIT \(limit)
            """
        return try all(sql, { $0.bind(blob: first, at: 1) }) { row in
            guard let digest = AssetDigest(bytes: Array(row.bytes(0))) else { return nil }
            return .asset(
                AssetContent(digest: digest, size: row.int(1)), createdAt: row.int(2),
                unusedSince: row.optionalInt(3).map(AssetRow.UnusedSince.init(mark:)))
        }
    }
}
