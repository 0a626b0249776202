import CStratusSQLite
import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteReader {
    private static let changeColumns =
        "sequence, kind, database, zone, type, record, name, before, after, zone_name"

    func loggedChanges(named name: String, in database: Int64, limit: Int) throws -> [LoggedChange] {
        let statement = try connection.statement(
            """
            SELECT \(Self.changeColumns) FROM change_log WHERE database = ? AND name = ?
            ORDER BY sequence DESC LIMIT ?
            """)
        statement.bind(database, at: 1)
        statement.bind(name, at: 2)
        statement.bind(Int64(limit), at: 3)
        return try Self.changes(statement)
    }

    func loggedChanges(after sequence: Int64, in database: Int64?, limit: Int) throws -> [LoggedChange] {
        let condition = database == nil ? "" : "AND database = ?3"
        let statement = try connection.statement(
            "SELECT \(Self.changeColumns) FROM change_log WHERE sequence > ?1 \(condition) ORDER BY sequence LIMIT ?2"
        )
        statement.bind(sequence, at: 1)
        statement.bind(Int64(limit), at: 2)
        if let database { statement.bind(database, at: 3) }
        return try Self.changes(statement)
    }

    /// Reads what a statement finds, as far as it fits into an answer.
    private static func changes(_ statement: Statement) throws -> [LoggedChange] {
        defer { statement.reset() }
        var changes: [LoggedChange] = []
        var bytes = 0
        while bytes < Limits.answerBytes, try statement.step() {
            guard let kind = LoggedChange.Kind(rawValue: statement.int(1)) else {
                throw StorageError.engine("The change log has an entry of an unknown kind.")
            }
            let change = LoggedChange(
                sequence: statement.int(0), kind: kind, database: statement.int(2), zone: statement.int(3),
                zoneName: statement.text(9), type: statement.int(4), record: statement.int(5),
                name: statement.text(6),
                before: statement.optionalBytes(7), after: statement.optionalBytes(8))
            bytes += change.weight
            changes.append(change)
        }
        return changes
    }

    func forgottenChanges() throws -> Int64 { try connection.meta(.changeHorizon) }

    func watch(of type: Int64, in database: Int64) throws -> ChangeWatch? {
        let statement = try connection.statement(
            "SELECT database, type, since, used_at FROM change_watch WHERE database = ? AND type = ?")
        defer { statement.reset() }
        statement.bind(database, at: 1)
        statement.bind(type, at: 2)
        return try statement.step() ? Self.watch(statement) : nil
    }

    /// The watches that were added after a version of all of them.
    func watches(changedAfter version: Int64) throws -> [ChangeWatch] {
        let statement = try connection.statement(
            "SELECT database, type, since, used_at FROM change_watch WHERE version > ?")
        defer { statement.reset() }
        statement.bind(version, at: 1)
        var watches: [ChangeWatch] = []
        while try statement.step() { watches.append(Self.watch(statement)) }
        return watches
    }

    private static func watch(_ statement: Statement) -> ChangeWatch {
        ChangeWatch(
            database: statement.int(0), type: statement.int(1), since: statement.int(2),
            usedAt: statement.int(3))
    }
}

extension Statement {
    /// The bytes of a column, or nil.
    fileprivate func optionalBytes(_ column: Int32) -> [UInt8]? {
        type(column) == SQLITE_NULL ? nil : Array(bytes(column))
    }
}
