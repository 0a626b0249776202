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
            createdBy: statement.text(1),
            createdAt: statement.int(2), body: Array(statement.bytes(3)))
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
        return try statement.step() ? (statement.int(0), statement.int(1)) : nil
    }

    /// Shows the body of a record that the directory names.
    private func body(type: Int64, id: Int64, _ visit: (UnsafeRawBufferPointer) throws -> Void) throws {
        let statement = try connection.statement("SELECT body FROM b\(type) WHERE id = ?")
        defer { statement.reset() }
        statement.bind(id, at: 1)
        guard try statement.step() else { throw Self.missingRecord }
        try visit(statement.bytes(0))
    }

    private static let missingRecord = StorageError.engine("The directory names a record that is missing.")

    func creator(ofRecordNamed name: String, in zone: Int64) throws -> String? {
        guard let (type, id) = try place(ofRecordNamed: name, in: zone) else { return nil }
        let statement = try connection.statement("SELECT created_by FROM r\(type) WHERE id = ?")
        defer { statement.reset() }
        statement.bind(id, at: 1)
        return try statement.step() ? statement.text(0) : nil
    }

    func referrers(
        to name: String, in zone: Int64, action: Reference.Action?, limit: Int
    ) throws -> [ReferrerRow] {
        let statement = try connection.statement(
            """
            SELECT owner, field, action FROM reference
            WHERE zone = ? AND target = ?\(action == nil ? "" : " AND action = ?3") LIMIT ?4
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
            "SELECT count(*) FROM reference WHERE zone = ? AND target = ? AND action = ? AND owner <> ?")
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
