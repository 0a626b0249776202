internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresReader {
    private static let loggedColumns =
        "sequence, kind, database, zone, type, record, name, before, after, zone_name FROM change_log"
    private static let changeColumns = "\(loggedColumns) WHERE sequence > $1"
    private static let changesOfNameStatement = PostgresStatement(
        """
        SELECT \(loggedColumns) WHERE database = $1 AND name = $2 AND sequence < $3
        ORDER BY sequence DESC LIMIT 1
        """, .int8, .text, .int8)
    private static let changesStatement = PostgresStatement(
        "SELECT \(changeColumns) ORDER BY sequence LIMIT $2", .int8, .int8)
    private static let changesOfDatabaseStatement = PostgresStatement(
        "SELECT \(changeColumns) AND database = $3 ORDER BY sequence LIMIT $2", .int8, .int8, .int8)
    /// How many rows are asked for at once: libpq holds all of an answer in memory.
    private static let portion = 64

    func loggedChanges(after sequence: Int64, in database: Int64?, limit: Int) throws -> [LoggedChange] {
        var changes: [LoggedChange] = []
        var bytes = 0
        var last = sequence
        while changes.count < limit, bytes < Limits.answerBytes {
            let count = min(limit - changes.count, Self.portion)
            let rows =
                if let database {
                    try ask(Self.changesOfDatabaseStatement, .int(last), .int(Int64(count)), .int(database))
                } else {
                    try ask(Self.changesStatement, .int(last), .int(Int64(count)))
                }
            for row in 0..<rows.count where bytes < Limits.answerBytes {
                let change = try Self.change(rows, row)
                bytes += change.weight
                last = change.sequence
                changes.append(change)
            }
            if rows.count < count { break }
        }
        return changes
    }

    func loggedChanges(named name: String, in database: Int64, limit: Int) throws -> [LoggedChange] {
        var changes: [LoggedChange] = []
        var bytes = 0
        while changes.count < limit, bytes < Limits.answerBytes {
            let rows = try ask(
                Self.changesOfNameStatement, .int(database), .text(PostgresText.encoded(name)),
                .int(changes.last?.sequence ?? .max))
            guard rows.count > 0 else { break }
            let change = try Self.change(rows, 0)
            bytes += change.weight
            changes.append(change)
        }
        return changes
    }

    private static func change(_ rows: PostgresRows, _ row: Int) throws -> LoggedChange {
        guard let kind = LoggedChange.Kind(rawValue: rows.int(row, 1)) else {
            throw StorageError.engine("The change log has an entry of an unknown kind.")
        }
        return LoggedChange(
            sequence: rows.int(row, 0), kind: kind, database: rows.int(row, 2), zone: rows.int(row, 3),
            zoneName: PostgresText.decoded(rows.text(row, 9)), type: rows.int(row, 4),
            record: rows.int(row, 5), name: PostgresText.decoded(rows.text(row, 6)),
            before: rows.isNull(row, 7) ? nil : Array(rows.bytes(row, 7)),
            after: rows.isNull(row, 8) ? nil : Array(rows.bytes(row, 8)))
    }

    private static let horizonStatement = PostgresStatement(
        "SELECT value FROM meta WHERE key = 'changeHorizon'")

    func forgottenChanges() throws -> Int64 {
        let rows = try ask(Self.horizonStatement)
        return rows.count > 0 ? rows.int(0, 0) : 0
    }

    private static let watchStatement = PostgresStatement(
        "SELECT database, type, since, used_at FROM change_watch WHERE database = $1 AND type = $2", .int8,
        .int8)

    func watch(of type: Int64, in database: Int64) throws -> ChangeWatch? {
        let rows = try ask(Self.watchStatement, .int(database), .int(type))
        return rows.count > 0 ? rows.watch(0) : nil
    }
}
