import CStratusSQLite
import Foundation
import RecordModel
import RecordStorage
import SQLiteAccess

/// A file that holds nothing but room: what the log needs to be moved into the database when the disk is full, and what
/// SQLite needs to open the files at all.
struct ReservedRoom: Sendable {
    /// The name of the file in the data directory. It may be deleted while no server runs, and need not be backed up.
    static let fileName = "stratus.reserve"
    /// Writes go on when there is so much room beside the reserve.
    static let headroomBytes = 4 << 20
    /// With so much reserve writes go on, although more is wanted.
    private static let leastBytes = 8 << 20
    /// The share of a small disk's room that is kept.
    private static let share = 8
    /// What is given at a time for opening the files.
    private static let stepBytes = 1 << 20

    private let path: String
    private let directory: String

    init(directory: String) {
        self.directory = directory
        path = directory + "/" + Self.fileName
    }

    /// How much is kept.
    var bytes: Int {
        var info = stat()
        // No file, no room.
        return stat(path, &info) == 0 ? Int(info.st_size) : 0
    }

    /// What others may use of the disk.
    private var freeBytes: Int {
        var info = statvfs()
        guard statvfs(directory, &info) == 0 else { return 0 }
        return Int(
            clamping: UInt64(info.f_bavail).multipliedReportingOverflow(by: UInt64(info.f_frsize))
                .partialValue)
    }

    /// Takes as much room as is wanted and there is.
    ///
    /// - Returns: whether there is enough for writes to go on.
    func restore() -> Bool {
        let kept = bytes
        let free = freeBytes
        let wanted = max(kept, min(Limits.reservedBytes, (kept + free) / Self.share))
        let target = min(wanted, kept + max(0, free - Self.headroomBytes))
        guard target >= min(Self.leastBytes, wanted), target > 0 else { return false }
        // The file system's own word counts, not the numbers above: quotas are not in them.
        guard resize(to: target + Self.headroomBytes) else {
            _ = resize(to: kept)
            return false
        }
        return resize(to: target)
    }

    /// Opens files, with some of the room where a full disk keeps them from being opened.
    func opening<Value>(_ open: () throws -> Value) throws -> Value {
        while true {
            do { return try open() } catch let error as StorageError {
                guard isForWantOfRoom(error), give(Self.stepBytes, keeping: 0) else { throw error }
            }
        }
    }

    /// SQLite says that the disk is full only where it writes; where it maps memory or makes a file, it cannot.
    private func isForWantOfRoom(_ error: StorageError) -> Bool {
        if error.isFull { return true }
        guard let code = (error.cause as? SQLiteFailure)?.primaryCode else { return false }
        return [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code) && freeBytes < Self.stepBytes
    }

    /// Gives a quarter of what the disk's room was kept for, but for what the next start needs.
    func giveForLog() -> Bool { give(max(Self.stepBytes, bytes / 4), keeping: 2 * Self.stepBytes) }

    private func give(_ count: Int, keeping least: Int) -> Bool {
        let kept = bytes
        guard kept > least else { return false }
        return resize(to: max(least, kept - count))
    }

    /// Makes the file of a size whose blocks all exist.
    private func resize(to size: Int) -> Bool {
        let file = open(path, O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        // Nothing was written through it that could still fail.
        defer { _ = close(file) }
        var info = stat()
        guard fstat(file, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return false }
        if Int(info.st_size) >= size { return ftruncate(file, off_t(size)) == 0 }
        return posix_fallocate(file, 0, off_t(size)) == 0
    }
}
