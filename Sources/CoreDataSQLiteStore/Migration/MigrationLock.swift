internal import StratusCoreData

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Keeps two processes from migrating stores of one folder at a time.
///
/// The lock is the folder's own, so that no file is left; the system lets go of it when a process ends, however.
final class MigrationLock {
    private let descriptor: Int32

    /// Waits for the lock.
    ///
    /// - Throws: `POSIXError` where the folder cannot be opened.
    init(_ folder: String) throws {
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileSwap.failure(folder) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                let error = FileSwap.failure(folder)
                // Nothing was written through it.
                _ = close(descriptor)
                throw error
            }
        }
    }

    deinit { _ = close(descriptor) }
}

/// Puts a file in another's place so that one of them is there whole at every moment.
enum FileSwap {
    /// Makes a file's bytes durable.
    static func sync(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(path) }
    }

    /// Gives a file a second name, in place of an older store that had it.
    ///
    /// - Throws: `CocoaError` 134080 where something else has it; `POSIXError` where the system refuses.
    static func link(_ path: String, to other: String) throws {
        try StoreFiles.removeOwn(other)
        guard hardLink(path, other) == 0 else { throw failure(other) }
    }

    /// Replaces a file by another of the same folder, and waits until that is on disk.
    static func replace(_ path: String, by other: String) throws {
        try RegularFile.rename(other, to: path, replacing: true)
        try DurableFile.sync(folder: (path as NSString).deletingLastPathComponent)
    }

    static func failure(_ path: String) -> any Error {
        POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO, userInfo: [NSFilePathErrorKey: path])
    }
}

/// The system's `link`, under a name that the type's own does not hide.
private func hardLink(_ path: String, _ other: String) -> Int32 { link(path, other) }
