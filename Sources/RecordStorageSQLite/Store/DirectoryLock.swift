import Foundation
import RecordStorage
import Synchronization

/// The right to be the one server of a data directory, held as long as the process lives.
final class DirectoryLock: Sendable {
    private static let fileName = "stratus.lock"
    private let descriptor: Int32

    /// Takes the lock, whose file is made where it is missing.
    ///
    /// - Throws: ``StorageError`` when another process has the lock.
    convenience init(directory: String) throws {
        let path = directory + "/" + Self.fileName
        try self.init(directory, descriptor: open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o644))
    }

    /// Whether another process has the lock; looking makes no file and needs no right to write.
    static func isHeld(directory: String) -> Bool {
        let descriptor = open(directory + "/" + fileName, O_RDONLY | O_CLOEXEC)
        // Without the file, or the right to read it, nothing tells of a server.
        guard descriptor >= 0 else { return false }
        // Nothing was written through it; closing lets go of the lock as well.
        defer { _ = close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return errno == EWOULDBLOCK }
        return false
    }

    private init(_ directory: String, descriptor: Int32) throws {
        guard descriptor >= 0 else {
            throw StorageError.engine(
                "The data directory \(directory) is not writable: \(String(cString: strerror(errno)))")
        }
        // The kernel lets go when the process ends, however it ends, so no stale lock can stay behind.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // Nothing was written through it.
            _ = close(descriptor)
            throw StorageError.locked(path: directory)
        }
        self.descriptor = descriptor
    }

    func release() {
        let code = flock(descriptor, LOCK_UN)
        assert(code == 0, "a lock that is held can be let go")
    }

    // Nothing was written through it.
    deinit { _ = close(descriptor) }
}

/// Breaks the circle between the writer and the advisor.
final class AdvisorHolder: Sendable {
    private let held = Mutex<IndexAdvisor?>(nil)

    var advisor: IndexAdvisor? { held.withLock { $0 } }

    func set(_ advisor: IndexAdvisor?) { held.withLock { $0 = advisor } }
}
