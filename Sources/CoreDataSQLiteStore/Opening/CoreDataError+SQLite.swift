internal import CStratusSQLite
internal import SQLiteAccess
internal import StratusCoreData

extension CoreDataError {
    /// What SQLite refused, with what can be done about it.
    static func sqlite(_ failure: SQLiteFailure) -> CoreDataError {
        if failure.isClosed { return storeIsClosed(nil) }
        let info: [String: Any] = [NSSQLiteErrorDomain: NSNumber(value: failure.code)]
        switch failure.primaryCode {
        case SQLITE_BUSY, SQLITE_LOCKED:
            return CoreDataError(
                134090, "Another process has the store locked, longer than the timeout.",
                remedy: "Try again, or raise NSPersistentStoreTimeoutOption.", userInfo: info, cause: failure)
        case SQLITE_FULL:
            return CoreDataError(
                134180, "The disk is full; nothing was written.", remedy: "Free some space and save again.",
                userInfo: info, cause: failure)
        case SQLITE_READONLY:
            return CoreDataError(
                134180, "The store's file cannot be written.",
                remedy: "Check its permissions and those of its folder.", userInfo: info, cause: failure)
        case SQLITE_CORRUPT:
            return CoreDataError(
                134180, "The store's file is damaged.",
                remedy: "Run PRAGMA integrity_check on a copy, and go back to a backup.", userInfo: info,
                cause: failure)
        case SQLITE_NOTADB:
            return CoreDataError(
                134080, "The file is not an SQLite database.", remedy: "Check the store's address.",
                userInfo: info, cause: failure)
        case SQLITE_CANTOPEN:
            return CoreDataError(
                134080, "The store's file cannot be opened.",
                remedy: "Check that its folder exists and may be written.", userInfo: info, cause: failure)
        default:
            return CoreDataError(
                134180, "SQLite failed: \(failure.message)", userInfo: info, cause: failure)
        }
    }
}
