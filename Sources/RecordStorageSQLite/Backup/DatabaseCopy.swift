import CStratusSQLite
import Foundation
import RecordStorage
import SQLiteAccess

/// A copy of a database, made some pages at a time by SQLite's own interface for it (<https://sqlite.org/backup.html>).
///
/// What the same connection changes meanwhile reaches the copy too: SQLite copies a page that it writes again. What
/// another connection changes makes it start over, unless the source is in a transaction that reads.
final class DatabaseCopy {
    private let source: Connection
    private let target: Connection
    private let backup: OpaquePointer
    private var isFinished = false

    /// Begins a copy.
    ///
    /// - Parameter path: a file that is empty or does not exist.
    /// - Throws: `StorageError` where the file cannot be written.
    init(of source: Connection, to path: String) throws {
        var options = Connection.Options()
        // Nobody else sees the file before it is whole, and it is brought to the disk once, at the end.
        options.statements = [
            "PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA locking_mode = EXCLUSIVE",
        ]
        let target = try Connection(path: path, options: options) { StorageError($0) }
        guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            let code = sqlite3_errcode(target.handle)
            target.close()
            throw StorageError(SQLiteFailure(code: code))
        }
        self.source = source
        self.target = target
        self.backup = backup
    }

    deinit { finish() }

    /// How many pages the copy has, and how many it will have, as of the last step.
    var progress: (done: Int, total: Int) {
        let total = Int(sqlite3_backup_pagecount(backup))
        return (total - Int(sqlite3_backup_remaining(backup)), total)
    }

    /// Copies some pages.
    ///
    /// - Returns: whether that was all of it: the copy then is the database as of its last commit.
    /// - Throws: `StorageError`; the copy is useless then.
    func step(pages: Int32) throws -> Bool {
        assert(!isFinished, "a copy that has ended takes no steps")
        let code = sqlite3_backup_step(backup, pages)
        switch code {
        case SQLITE_DONE: return true
        case SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED: return false
        default: throw StorageError(SQLiteFailure(code: code))
        }
    }

    /// Closes the file. Has to happen before the source is closed.
    func finish() {
        guard !isFinished else { return }
        isFinished = true
        // It repeats the error of the last step, which was thrown.
        _ = sqlite3_backup_finish(backup)
        target.close()
    }
}
