import Foundation
import RecordStorage

/// What a store looks for before it is opened.
enum HiddenCommits {
    /// Refuses a database whose log is damaged before commits that were acknowledged.
    ///
    /// SQLite takes the damage for the end of the log: opened for writing, the database would lose what comes after it, and with the
    /// first new commit also what could have been saved. Most often there is little to read; it is less than
    /// `Limits.logBytes`.
    ///
    /// - Throws: `StorageError`.
    static func refuse(_ path: String) throws {
        guard let file = try LogFile(path: path + "-wal") else { return }
        let log = try file.contents(databasePageBytes: try pageBytes(path))
        guard log.hidesCommits else { return }
        throw StorageError.damagedLog(
            path + "-wal", commits: log.commitsBeyond.count, remedy: StoreInspection.recoverRemedy)
    }

    /// The page size that a database states (<https://sqlite.org/fileformat2.html#the_database_header>).
    private static func pageBytes(_ path: String) throws -> Int {
        let usual = 4_096
        guard let file = FileHandle(forReadingAtPath: path) else { return usual }
        // It was only read.
        defer { try? file.close() }
        let head: Data?
        do { head = try file.read(upToCount: 18) } catch {
            throw StorageError.engine("The database \(path) cannot be read.", error)
        }
        guard let head, head.count == 18 else { return usual }
        let stated = Int(head[16]) << 8 | Int(head[17])
        return stated == 1 ? 65_536 : max(512, stated)
    }
}
