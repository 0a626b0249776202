import CReadOnlyFiles
import RecordStorage
import SQLiteAccess

extension Connection {
    /// Opens the database of a directory to look at it, and leaves no trace.
    ///
    /// Beside a running server it is one more reader of the server's files. Without one nothing is written, made, cut or
    /// removed: not even the index of the log, which is kept in memory.
    /// - Throws: ``StorageError``.
    convenience init(lookingAt path: String, isServed: Bool, cacheKiB: Int = 16_384) throws {
        var options = Options()
        options.isReadOnly = true
        options.busySeconds = Self.busySeconds
        options.hasDeadline = true
        options.statements = ["PRAGMA cache_size = -\(cacheKiB)", "PRAGMA temp_store = MEMORY"]
        if !isServed {
            let code = stratus_register_read_only_files()
            guard code == 0 else { throw StorageError(SQLiteFailure(code: code)) }
            options.fileSystem = STRATUS_READ_ONLY_FILES
        }
        try self.init(path: path, options: options) { StorageError($0) }
        for function in SQLFunctions.all(deadline) { try add(function) }
    }
}
