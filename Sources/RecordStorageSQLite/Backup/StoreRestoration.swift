import RecordStorage
import SQLiteAccess

/// What has to change in a database that comes back from a backup.
public enum StoreRestoration {
    /// How many sequence numbers are passed over: more than were given between a backup and a restore of it, by any
    /// server in any month, and a thousandth of all that there are.
    static let passedOver: Int64 = 1 << 30

    /// Sees to it that no sequence number is given again that clients may have seen after the backup was made: change tags
    /// and positions in feeds stay unique.
    ///
    /// - Parameter directory: a data directory that nobody uses.
    /// - Throws: `StorageError` where a process uses the directory, it cannot be written to, or its database is
    ///   damaged, somebody else's, of a newer version or part of an unfinished copy.
    public static func passOverSequenceNumbers(directory: String) throws {
        let lock = try DirectoryLock(directory: directory)
        defer { lock.release() }
        let connection = try Migrations.run(path: directory + "/" + SQLiteStore.fileName)
        defer { connection.close() }
        try connection.transaction {
            try connection.run("UPDATE meta SET value = value + ? WHERE key = 'sequence'", [.int(passedOver)])
            // Who follows changes may have seen some that are not in the backup, and has to start again.
            try connection.set(.changeHorizon, to: connection.meta(.sequence))
        }
    }
}
