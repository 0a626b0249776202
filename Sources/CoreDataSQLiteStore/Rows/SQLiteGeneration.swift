internal import SQLiteAccess
internal import StratusCoreData

/// A state of a store, kept by a transaction that reads and does not end.
final class SQLiteGeneration: StoreGeneration {
    let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) { self.connection = connection }

    deinit { connection.close() }
}

extension SQLiteObjectStore {
    /// Nil for a store in memory, which has one connection, and where the journal is no log: there a reader that
    /// stays would keep all writers out.
    func openGeneration() throws -> (any StoreGeneration)? {
        let open = try opened()
        guard let path = open.path else { return nil }
        let mode = try open.connection.makeStatement("PRAGMA journal_mode")
        guard try mode.step(), mode.text(0).lowercased() == "wal" else { return nil }
        mode.reset()
        let connection = try SQLiteConnection(path: path, settings: open.settings, isReader: true)
        try connection.execute("BEGIN")
        // The transaction begins with its first read.
        let read = try connection.makeStatement("SELECT count(*) FROM Z_PRIMARYKEY")
        _ = try read.step()
        read.reset()
        return SQLiteGeneration(connection)
    }
}
