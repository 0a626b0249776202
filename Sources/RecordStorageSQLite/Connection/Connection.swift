import CStratusSQLite
import RecordModel
import RecordStorage
import SQLiteAccess

/// A connection to the database file of a store; its errors are ``StorageError``.
///
/// One thread uses it at a time: it is handed over by ``ConnectionPool``, or kept by the writing thread.
typealias Connection = SQLiteConnection

extension Connection {
    /// What a connection is for.
    enum Role {
        case reader, writer, checkpointer

        fileprivate var settings: [String] {
            switch self {
            case .reader: ["PRAGMA query_only = 1"]
            case .writer:
                [
                    "PRAGMA journal_mode = WAL",
                    // An acknowledged write is on disk (Documentation/Durability.md, 'The promise').
                    "PRAGMA synchronous = FULL",
                    // The checkpoint has a thread of its own: in the commit path it would be the p99.
                    "PRAGMA wal_autocheckpoint = 0",
                    // Debian's library writes zeros over each page that is freed: 200 records of 1 MiB that one request
                    // deletes would put 200 MiB into the log. What is in a page that is written anyway is still erased.
                    "PRAGMA secure_delete = FAST",
                ]
            case .checkpointer: ["PRAGMA synchronous = FULL"]
            }
        }
    }

    /// How long a statement waits for another process, in seconds: a command beside a server that is written to at full
    /// speed finds a moment between two commits by asking again and again, which takes a while on a machine with much to do.
    static var busySeconds: Double { 30 }

    /// Opens the file.
    ///
    /// - Throws: ``StorageError``.
    convenience init(path: String, role: Role, cacheKiB: Int) throws {
        var options = Options()
        options.busySeconds = Self.busySeconds
        options.hasDeadline = true
        options.setsDurability = role == .writer
        options.statements =
            ["PRAGMA cache_size = -\(cacheKiB)", "PRAGMA temp_store = MEMORY"] + role.settings
        try self.init(path: path, options: options) { StorageError($0) }
        for function in SQLFunctions.all(deadline) { try add(function) }
    }

    /// Ends a reader's transaction, whatever has come of it.
    func endReading() {
        // SQLite refuses it only where an error has ended the transaction already.
        guard isInTransaction else { return }
        do { try statement("COMMIT").run() } catch {
            // A statement that was left in the middle keeps a transaction open: then it goes with all statements.
            forgetStatements()
            // In a damaged file the failed COMMIT may have ended it, and ROLLBACK then says that there is none: what counts
            // is that none is left.
            _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            assert(!isInTransaction, "a transaction that only reads can be rolled back")
        }
    }
}

extension StorageError {
    /// Tells from SQLite's result code what an operator can do.
    init(_ failure: SQLiteFailure) {
        if failure.isClosed {
            self = .closed
            return
        }
        switch failure.primaryCode {
        case SQLITE_FULL: self = .full(cause: failure)
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt(failure)
        case SQLITE_INTERRUPT: self = .timeout(seconds: Limits.querySeconds)
        case SQLITE_BUSY: self = .busy
        default: self = .engine("SQLite failed.", failure)
        }
    }
}
