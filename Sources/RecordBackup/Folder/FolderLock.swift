import Foundation

/// A file that one process at a time holds, as long as it lives.
final class FolderLock: Sendable {
    private let descriptor: Int32

    /// - Throws: ``BackupError`` where another process holds it.
    init(_ path: String, busy: String) throws {
        // It is written over and given away below: a link would lead to somebody else's file.
        guard Files.isOrdinaryOrMissing(path) else { throw BackupError.foreign(path) }
        descriptor = open(path, O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BackupError.file("made", path) }
        // What root makes in the folder of a server's user has to be open to that one, now and later.
        var folder = stat()
        if geteuid() == 0, stat((path as NSString).deletingLastPathComponent, &folder) == 0 {
            // Where it cannot be given away, the owner is told when the lock cannot be opened.
            _ = fchown(descriptor, folder.st_uid, folder.st_gid)
        }
        // The kernel lets go when the process ends, however it ends.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw BackupError.busy(busy)
        }
    }

    /// Whether somebody holds it.
    static func isHeld(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Writes the file again.
    func write(_ bytes: [UInt8]) throws {
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
            throw BackupError.file("written", "the request for a copy")
        }
    }

    deinit { close(descriptor) }
}
