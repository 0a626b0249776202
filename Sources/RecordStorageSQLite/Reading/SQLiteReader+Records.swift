import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteReader {
    func record(named name: String, in zone: Int64) throws -> RecordRow? {
        guard let (type, id) = try place(ofRecordNamed: name, in: zone) else { return nil }
        let statement = try connection.statement(
            """
            SELECT r.sequence, r.created_by, r.created_at, b.body
            FROM r\(type) AS r JOIN b\(type) AS b ON b.id = r.id WHERE r.id = ?
            """)
        defer { statement.reset() }
        statement.bind(id, at: 1)
        guard try statement.step() else { throw Self.missingRecord }
        return RecordRow(
            id: id, zone: zone, type: type, name: name, sequence: statement.int(0),
            createdBy: statement.text(1), createdAt: statement.int(2),
            body: try catalog.removedFields[type]?.stripping(statement.bytes(3), at: statement.int(0))
                ?? Array(statement.bytes(3)))
    }

    func body(
        ofRecordNamed name: String, in zone: Int64, _ visit: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        guard let (type, id) = try place(ofRecordNamed: name, in: zone) else { return false }
        try body(type: type, id: id, visit)
        return true
    }

    /// The type and the number of a record, by the directory.
    private func place(ofRecordNamed name: String, in zone: Int64) throws -> (type: Int64, id: Int64)? {
        let statement = try connection.statement(
            "SELECT type, id FROM directory WHERE zone = ? AND name = ? AND deleted = 0")
        defer { statement.reset() }
        statement.bind(zone, at: 1)
        statement.bind(name, at: 2)
        guard try statement.step(), !catalog.removedTypes.contains(statement.int(0)) else { return nil }
        return (statement.int(0), statement.int(1))
    }

    /// Shows the body of a record that the directory names.
    private func body(type: Int64, id: Int64, _ visit: (UnsafeRawBufferPointer) throws -> Void) throws {
        let statement = try connection.statement("SELECT body FROM b\(type) WHERE id = ?")
        defer { statement.reset() }
        statement.bind(id, at: 1)
        guard try statement.step() else { throw Self.missingRecord }
        guard let removed = catalog.removedFields[type] else { return try visit(statement.bytes(0)) }
        let sequence = try connection.statement("SELECT sequence FROM r\(type) WHERE id = ?")
        defer { sequence.reset() }
        sequence.bind(id, at: 1)
        guard try sequence.step() else { throw Self.missingRecord }
        let stripped = try removed.stripping(statement.bytes(0), at: sequence.int(0))
        guard let stripped else { return try visit(statement.bytes(0)) }
        try stripped.withUnsafeBytes { try visit($0) }
    }

    /// A condition for rows of `reference` or `asset_use` that count: the holder's type is there, and so is the field
    /// that holds it. Empty unless something is being removed.
    func liveHolder(_ table: String) -> String {
        let holder = "d.zone = \(table).zone AND d.name = \(table).owner AND d.deleted = 0"
        var sql = ""
        if !catalog.removedTypes.isEmpty {
            let types = catalog.removedTypes.sorted().map(String.init).joined(separator: ",")
            sql += " AND NOT EXISTS (SELECT 1 FROM directory AS d WHERE \(holder) AND d.type IN (\(types)))"
        }
        for (type, fields) in catalog.removedFields {
            for field in fields {
                sql += """
                     AND NOT (\(table).field = \(SQLQuotes.literal(field.name)) AND EXISTS (
                        SELECT 1 FROM directory AS d CROSS JOIN r\(type) AS r ON r.id = d.id
                        WHERE \(holder) AND d.type = \(type) AND r.sequence <= \(field.sequence)))
                    """
            }
        }
        return sql
    }

    private static let missingRecord = StorageError.engine("The directory names a record that is missing.")

    func origin(ofRecordNamed name: String, in zone: Int64) throws -> RecordOrigin? {
        guard let (type, id) = try place(ofRecordNamed: name, in: zone) else { return nil }
        let statement = try connection.statement("SELECT created_by FROM r\(type) WHERE id = ?")
        defer { statement.reset() }
        statement.bind(id, at: 1)
        return try statement.step() ? RecordOrigin(type: type, createdBy: statement.text(0)) : nil
    }

    func referrers(
        to name: String, in zone: Int64, action: Reference.Action?, limit: Int
    ) throws -> [ReferrerRow] {
        let statement = try connection.statement(
            """
            SELECT owner, field, action FROM reference
            WHERE zone = ? AND target = ?\(action == nil ? "" : " AND action = ?3")\(liveHolder("reference")) LIMIT ?4
            """)
        defer { statement.reset() }
        statement.bind(zone, at: 1)
        statement.bind(name, at: 2)
        if let action { statement.bind(action.rawValue, at: 3) }
        statement.bind(Int64(limit), at: 4)
        var rows: [ReferrerRow] = []
        while try statement.step() {
            rows.append(
                ReferrerRow(
                    name: statement.text(0), field: statement.text(1),
                    action: Reference.Action(rawValue: statement.text(2)) ?? .none))
        }
        return rows
    }

    func referenceCount(
        to name: String, in zone: Int64, action: Reference.Action, besides holder: String
    ) throws -> Int {
        let statement = try connection.statement(
            "SELECT count(*) FROM reference WHERE zone = ? AND target = ? AND action = ? AND owner <> ?\(liveHolder("reference"))"
        )
        defer { statement.reset() }
        statement.bind(zone, at: 1)
        statement.bind(name, at: 2)
        statement.bind(action.rawValue, at: 3)
        statement.bind(holder, at: 4)
        return try statement.step() ? Int(statement.int(0)) : 0
    }

    func changes(_ feed: ChangeFeed, _ visit: (borrowing ChangeRow) throws -> Bool) throws {
        // SQLite finds no plan for a choice of no types.
        if feed.types?.isEmpty == true { return }
        var sql = """
            SELECT sequence, name, type, id, deleted FROM directory INDEXED BY directory_feed
            WHERE tracked = 1 AND zone = ? AND sequence > ? AND (deleted = 0 OR sequence > ?)
            """
        if let end = feed.backwardsFrom { sql += " AND sequence < \(end)" }
        if let types = feed.types { sql += " AND type IN (\(types.map(String.init).joined(separator: ",")))" }
        if !catalog.removedTypes.isEmpty {
            // Their tombstones are on their way, each with a number of its own.
            let types = catalog.removedTypes.map(String.init).joined(separator: ",")
            sql += " AND (deleted = 1 OR type NOT IN (\(types)))"
        }
        sql += " ORDER BY sequence\(feed.backwardsFrom == nil ? "" : " DESC") LIMIT ?"
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        statement.bind(feed.zone, at: 1)
        statement.bind(feed.after, at: 2)
        // Who starts from nothing needs no tombstones: only what is there now.
        let isFirst = feed.after == 0 && feed.backwardsFrom == nil
        statement.bind(isFirst ? .max : feed.tombstonesAfter, at: 3)
        statement.bind(Int64(feed.limit), at: 4)
        while try statement.step() {
            let type = statement.int(2)
            var goesOn = false
            if statement.int(4) == 0 {
                try body(type: type, id: statement.int(3)) { body in
                    goesOn = try visit(
                        ChangeRow(sequence: statement.int(0), name: statement.text(1), type: type, body: body)
                    )
                }
            } else {
                goesOn = try visit(
                    ChangeRow(sequence: statement.int(0), name: statement.text(1), type: type, body: nil))
            }
            guard goesOn else { return }
        }
    }
}
