import Foundation
import RecordStorage

/// The few calls of the file system that are needed, with errors that an operator understands.
///
/// All of them may block: they run on the store's own threads only.
enum FileSystem {
    /// A file descriptor that is closed when nobody holds it any more.
    final class Descriptor: Sendable {
        let number: Int32

        init(_ number: Int32) { self.number = number }

        deinit { Foundation.close(number) }
    }

    /// Opens or makes a file; nil where it is not there.
    static func open(_ path: String, _ flags: Int32) throws -> Descriptor? {
        let number = Foundation.open(path, flags | O_CLOEXEC, 0o600)
        if number < 0, errno == ENOENT { return nil }
        guard number >= 0 else { throw failure("opened", path) }
        return Descriptor(number)
    }

    /// What an ordinary file is.
    struct Status {
        var size: Int64
        /// The time of the last change, in milliseconds.
        var modifiedAt: Int64
    }

    /// Opens an ordinary file for reading; nil where there is none: links, folders and pipes do not count.
    static func openFile(_ path: String) throws -> (file: Descriptor, status: Status)? {
        // Without O_NONBLOCK a pipe would hold the thread until somebody writes.
        let number = Foundation.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if number < 0, errno == ENOENT || errno == ELOOP || errno == ENOTDIR { return nil }
        guard number >= 0 else { throw failure("opened", path) }
        let file = Descriptor(number)
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw failure("looked at", path) }
        return self.status(status).map { (file, $0) }
    }

    /// Looks at an ordinary file without opening it; nil where there is none.
    static func status(of path: String) throws -> Status? {
        var status = stat()
        if lstat(path, &status) == 0 { return self.status(status) }
        guard errno == ENOENT || errno == ENOTDIR else { throw failure("looked at", path) }
        return nil
    }

    private static func status(_ status: stat) -> Status? {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Status(
            size: Int64(status.st_size),
            modifiedAt: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// Fills a buffer from a position on; fewer bytes only at the end of the file.
    static func read(
        _ file: Descriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws -> Int {
        var done = 0
        while done < buffer.count {
            guard let target = buffer.baseAddress?.advanced(by: done) else { break }
            let count = pread(file.number, target, buffer.count - done, off_t(offset) + off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", "a file") }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Writes all bytes at the file's end.
    static func write(_ bytes: UnsafeRawBufferPointer, to file: Descriptor, path: String) throws {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = Foundation.write(file.number, start, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("written", path) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Waits until the disk has what was written.
    static func sync(_ file: Descriptor, path: String) throws {
        guard fsync(file.number) == 0 else { throw failure("brought to the disk", path) }
    }

    /// Waits until the disk has a folder's names.
    static func sync(folder: String) throws {
        guard let file = try open(folder, O_RDONLY | O_DIRECTORY) else { throw failure("opened", folder) }
        try sync(file, path: folder)
    }

    /// Makes a folder, unless it is there.
    static func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("made", path) }
    }

    /// Gives a file another name, in the place of the ordinary file that may have it.
    static func move(_ path: String, to other: String) throws {
        try refuseOther(than: other)
        guard rename(path, other) == 0 else { throw failure("renamed", path) }
    }

    /// Removes an ordinary file; one that is not there is no error.
    static func remove(_ path: String) throws {
        try refuseOther(than: path)
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("removed", path) }
    }

    /// Sees that there is an ordinary file or nothing: a link, a folder, a pipe or a device is nobody's upload.
    private static func refuseOther(than path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        throw StorageError.engine("\(path) is not an ordinary file, so it stays as it is.")
    }

    /// Locks a file against other processes and other openings until it is closed, which the kernel does when the process
    /// ends; false where somebody has it.
    static func lock(_ file: Descriptor, path: String) throws -> Bool {
        while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else { throw failure("locked", path) }
            return false
        }
        return true
    }

    /// Whether an open file is still in a folder.
    static func hasName(_ file: Descriptor, path: String) throws -> Bool {
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw failure("looked at", path) }
        return status.st_nlink > 0
    }

    /// Removes a file that no process has locked.
    static func removeUnlocked(_ path: String) throws {
        // What is no ordinary file was never an upload. Open for writing, since NFS locks no other files.
        guard try status(of: path) != nil, let file = try open(path, O_RDWR | O_NOFOLLOW) else { return }
        // Removed while it is locked, so that nobody takes it meanwhile.
        if try lock(file, path: path) { try remove(path) }
    }

    private static func failure(_ what: String, _ path: String) -> StorageError {
        let code = errno
        let cause = FileError(code: code)
        if code == ENOSPC || code == EDQUOT { return .full(cause: cause) }
        return .engine("\(path) cannot be \(what): \(cause)", cause)
    }
}

/// What the system said.
struct FileError: Error, CustomStringConvertible {
    let code: Int32

    var description: String { String(cString: strerror(code)) }
}
