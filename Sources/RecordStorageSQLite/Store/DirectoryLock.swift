import Foundation
import RecordStorage
import Synchronization

/// The right to be the one server of a data directory, held as long as the process lives.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// - Throws: ``StorageError`` when another process has the lock.
    init(directory: String) throws {
        let path = directory + "/stratus.lock"
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw StorageError.engine(
                "The data directory \(directory) is not writable: \(String(cString: strerror(errno)))")
        }
        // The kernel lets go when the process ends, however it ends, so no stale lock can stay behind.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw StorageError.locked(path: directory)
        }
        self.descriptor = descriptor
    }

    func release() { flock(descriptor, LOCK_UN) }

    deinit { close(descriptor) }
}

/// Breaks the circle between the writer and the advisor.
final class AdvisorHolder: Sendable {
    private let held = Mutex<IndexAdvisor?>(nil)

    var advisor: IndexAdvisor? { held.withLock { $0 } }

    func set(_ advisor: IndexAdvisor?) { held.withLock { $0 = advisor } }
}
