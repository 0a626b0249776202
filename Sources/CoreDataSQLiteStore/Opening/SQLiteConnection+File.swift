internal import CStratusSQLite
internal import SQLiteAccess
internal import StratusCoreData

// Bytes of the file through SQLite's own handle. Whoever opens the file a second time ends, when closing it, all locks
// that this process has on it, and with them what keeps other processes from taking the log away.
extension SQLiteConnection {
    private var file: UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        return code == SQLITE_OK ? file : nil
    }

    /// The first bytes of the file; nil where there are not so many.
    func firstBytes(_ count: Int) -> Data? {
        guard let file, let read = file.pointee.pMethods?.pointee.xRead else { return nil }
        var data = Data(count: count)
        let code = data.withUnsafeMutableBytes { read(file, $0.baseAddress, Int32(count), 0) }
        return code == SQLITE_OK ? data : nil
    }

    /// The first bytes of the log's index, which is memory that all processes share; nil where there is no log.
    func firstIndexBytes(_ count: Int) -> Data? {
        guard let file, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
            let map = methods.pointee.xShmMap
        else { return nil }
        var region: UnsafeMutableRawPointer?
        guard map(file, 0, Self.indexPageSize, 0, &region) == SQLITE_OK, let region else { return nil }
        return Data(bytes: region, count: min(count, Int(Self.indexPageSize)))
    }

    /// SQLite maps the index in pieces of this size.
    private static var indexPageSize: Int32 { 32_768 }
}
