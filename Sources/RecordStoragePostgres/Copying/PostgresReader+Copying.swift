internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresReader {
    func pagedRows(
        of section: StoreSection, after last: StoreRow?, _ portion: CopyPortion
    ) throws -> [StoreRow] {
        switch section {
        case .databases: return try databases(after: last, portion.rows)
        case .zones: return try zones(after: last, portion.rows)
        case .records: return try records(after: last, portion)
        case .assets: return try assets(after: last, portion.rows)
        case .versions: return try versionRows(after: last, portion)
        default: return []
        }
    }

    func lastColumn(of type: RecordType) throws -> Int {
        let rows = try ask(
            PostgresStatement("SELECT last_field FROM record_type WHERE id = $1", .int8), .int(type.id))
        let gone = rows.count > 0 ? Int(rows.int(0, 0)) : 0
        return max(gone, type.fields.map(\.column).max() ?? 0)
    }

    func counters() throws -> StoreCounters {
        let rows = try ask(
            PostgresStatement(
                """
                SELECT greatest(
                        (SELECT coalesce(max(id), 0) FROM zone), (SELECT value FROM meta WHERE key = 'zone')),
                    (SELECT value FROM meta WHERE key = 'type'),
                    (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM audit_id_seq)
                """))
        return StoreCounters(
            sequence: try lastSequence(), zone: rows.int(0, 0), type: rows.int(0, 1), audit: rows.int(0, 2),
            forgottenChanges: try forgottenChanges())
    }

    // MARK: Databases and zones

    private func databases(after last: StoreRow?, _ limit: Int) throws -> [StoreRow] {
        var first: Int64 = 0
        if case .database(let row)? = last { first = row.number }
        let statement = PostgresStatement(
            """
            SELECT database.id, container, environment, owner, horizon, data_key FROM database
            JOIN tenant ON tenant.id = database.tenant WHERE database.id > $1 ORDER BY database.id LIMIT $2
            """, .int8, .int8)
        let rows = try ask(statement, .int(first), .int(Int64(limit)))
        return (0..<rows.count).compactMap { row in
            guard let tenant = Tenant(rows.text(row, 1), rows.text(row, 2)) else { return nil }
            let owner = PostgresText.decoded(rows.text(row, 3))
            return .database(
                CopiedDatabase(
                    number: rows.int(row, 0),
                    id: DatabaseID(tenant: tenant, owner: owner.isEmpty ? nil : owner),
                    forgottenUntil: rows.int(row, 4), key: Self.key(Array(rows.bytes(row, 5)))))
        }
    }

    private func zones(after last: StoreRow?, _ limit: Int) throws -> [StoreRow] {
        var first: Int64 = 0
        if case .zone(let row)? = last { first = row.id }
        let statement = PostgresStatement(
            "SELECT \(Self.zoneColumns) FROM zone WHERE id > $1 ORDER BY id LIMIT $2", .int8, .int8)
        return Self.zones(try ask(statement, .int(first), .int(Int64(limit)))).map { .zone($0) }
    }

    // MARK: Records

    private func records(after last: StoreRow?, _ portion: CopyPortion) throws -> [StoreRow] {
        var start: (zone: Int64, name: String) = (0, "")
        if case .record(let row)? = last { start = (row.zone, row.name) }
        let directory = try ask(
            PostgresStatement(
                """
                SELECT zone, name, type, id, sequence, deleted FROM directory
                WHERE (zone, name) > ($1, $2) ORDER BY zone, name LIMIT $3
                """, .int8, .text, .int8),
            .int(start.zone), .text(PostgresText.encoded(start.name)), .int(Int64(portion.rows)))
        let sizes = try bodySizes(directory)
        var count = 0
        var room = portion.bytes
        while count < directory.count, room > 0 {
            if !directory.bool(count, 5) { room -= sizes[directory.int(count, 3)] ?? 0 }
            count += 1
        }
        guard count > 0 else { return [] }
        // The directory follows change tags in tracked zones only.
        var sequences: [Int64: Int64] = [:]
        var states = try states(directory, count, &sequences)
        try addReferences(directory, count, &states)
        try addAssets(directory, count, &states)
        return try (0..<count).map { row in
            let id = directory.int(row, 3)
            let isDeleted = directory.bool(row, 5)
            guard isDeleted || states[id] != nil else { throw Self.missingRecord }
            return .record(
                CopiedRecord(
                    zone: directory.int(row, 0), name: PostgresText.decoded(directory.text(row, 1)),
                    type: directory.int(row, 2), id: id,
                    sequence: isDeleted ? directory.int(row, 4) : sequences[id] ?? directory.int(row, 4),
                    state: isDeleted ? nil : states[id]))
        }
    }

    /// One statement for each type that some rows of the directory name.
    private func ask(
        _ directory: PostgresRows, _ count: Int, _ sql: (_ type: Int64) -> String
    ) throws -> [PostgresRows] {
        var numbers: [Int64: [Int64?]] = [:]
        for row in 0..<count where !directory.bool(row, 5) {
            numbers[directory.int(row, 2), default: []].append(directory.int(row, 3))
        }
        guard !numbers.isEmpty else { return [] }
        return try ask(
            numbers.sorted { $0.key < $1.key }.map { type, ids in
                PostgresCommand(PostgresStatement(sql(type), .int8Array), .ints(ids))
            })
    }

    private func bodySizes(_ directory: PostgresRows) throws -> [Int64: Int] {
        var sizes: [Int64: Int] = [:]
        let answers = try ask(directory, directory.count) {
            "SELECT id, octet_length(body)::int8 FROM r\($0) WHERE id = ANY($1)"
        }
        for rows in answers {
            for row in 0..<rows.count { sizes[rows.int(row, 0)] = Int(rows.int(row, 1)) }
        }
        return sizes
    }

    private func states(
        _ directory: PostgresRows, _ count: Int, _ sequences: inout [Int64: Int64]
    ) throws -> [Int64: CopiedRecord.State] {
        var states: [Int64: CopiedRecord.State] = [:]
        let answers = try ask(directory, count) { type in
            """
            SELECT id, created_by, created_at, modified_by, modified_at, parent, body, sequence
            FROM r\(type) WHERE id = ANY($1)
            """
        }
        for rows in answers {
            for row in 0..<rows.count {
                sequences[rows.int(row, 0)] = rows.int(row, 7)
                states[rows.int(row, 0)] = CopiedRecord.State(
                    createdBy: PostgresText.decoded(rows.text(row, 1)), createdAt: rows.int(row, 2),
                    modifiedBy: PostgresText.decoded(rows.text(row, 3)), modifiedAt: rows.int(row, 4),
                    parent: rows.optionalText(row, 5).map(PostgresText.decoded),
                    body: Array(rows.bytes(row, 6)))
            }
        }
        return states
    }

    /// What a table has of the owners between the first and the last row of the directory.
    private func holdings(
        _ table: String, _ columns: String, _ directory: PostgresRows, _ count: Int
    ) throws -> [(id: Int64, rows: PostgresRows, row: Int)] {
        let statement = PostgresStatement(
            """
            SELECT d.id, \(columns) FROM directory AS d
            JOIN \(table) AS h ON h.zone = d.zone AND h.owner = d.name
            WHERE NOT d.deleted AND (d.zone, d.name) >= ($1, $2) AND (d.zone, d.name) <= ($3, $4)
            ORDER BY d.zone, d.name, \(columns)
            """, .int8, .text, .int8, .text)
        let rows = try ask(
            statement, .int(directory.int(0, 0)), .text(directory.text(0, 1)),
            .int(directory.int(count - 1, 0)), .text(directory.text(count - 1, 1)))
        return (0..<rows.count).map { (rows.int($0, 0), rows, $0) }
    }

    private func addReferences(
        _ directory: PostgresRows, _ count: Int, _ states: inout [Int64: CopiedRecord.State]
    ) throws {
        for (id, rows, row) in try holdings("reference", "h.field, h.target, h.action", directory, count) {
            states[id]?.references.append(
                CopiedReference(
                    field: PostgresText.decoded(rows.text(row, 1)),
                    target: PostgresText.decoded(rows.text(row, 2)),
                    action: Reference.Action(rawValue: rows.text(row, 3)) ?? .none))
        }
    }

    private func addAssets(
        _ directory: PostgresRows, _ count: Int, _ states: inout [Int64: CopiedRecord.State]
    ) throws {
        for (id, rows, row) in try holdings("asset_use", "h.field, h.digest", directory, count) {
            guard let digest = AssetDigest(bytes: Array(rows.bytes(row, 2))) else { continue }
            states[id]?.assets.append(CopiedAssetUse(field: rows.text(row, 1), digest: digest))
        }
    }

    // MARK: Files and access

    private func assets(after last: StoreRow?, _ limit: Int) throws -> [StoreRow] {
        var first: [UInt8] = []
        if case .asset(let content, _, _)? = last { first = content.digest.bytes }
        let statement = PostgresStatement(
            """
            SELECT digest, size, created_at, unused_since FROM asset WHERE digest > $1 ORDER BY digest LIMIT $2
            """, .bytea, .int8)
        let rows = try ask(statement, .bytes(first), .int(Int64(limit)))
        return (0..<rows.count).compactMap { row in
            AssetDigest(bytes: Array(rows.bytes(row, 0))).map { digest in
                .asset(
                    AssetContent(digest: digest, size: rows.int(row, 1)), createdAt: rows.int(row, 2),
                    unusedSince: rows.optionalInt(row, 3).map(AssetRow.UnusedSince.init(mark:)))
            }
        }
    }
}
