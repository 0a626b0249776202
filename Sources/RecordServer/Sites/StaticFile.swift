import Foundation
import HummingbirdCore
import NIOCore
import NIOPosix

/// An open file of a ``StaticSite``, as it was when it was opened. It is closed when nobody holds it any more.
final class StaticFile: Sendable {
    /// How much of a file is in memory at once.
    private static let pieceBytes = 65_536

    let isFolder: Bool
    let size: Int
    /// Changes with the file: the time of its last change, its size and its number.
    let entityTag: EntityTag
    private let descriptor: Int32

    private init?(_ descriptor: Int32) throws {
        self.descriptor = descriptor
        var status = stat()
        let result = fstat(descriptor, &status)
        let kind = status.st_mode & S_IFMT
        isFolder = kind == S_IFDIR
        size = Int(status.st_size)
        #if canImport(Darwin)
        let changed = status.st_mtimespec
        #else
        let changed = status.st_mtim
        #endif
        let parts = [Int(changed.tv_sec), Int(changed.tv_nsec), Int(status.st_size), Int(status.st_ino)]
        entityTag = EntityTag(parts.map { String($0, radix: 36) }.joined(separator: "-"))
        // Only now that all is set: `deinit` closes the file.
        guard result == 0 else { throw StaticFileError(code: errno) }
        guard isFolder || kind == S_IFREG else { return nil }
    }

    deinit { close(descriptor) }

    /// Opens a file below a folder; nil where there is none that may be shown.
    ///
    /// It goes name by name and follows no symbolic link, so that nothing which changes meanwhile can lead out.
    static func open(_ path: StaticPath, in folder: String) throws -> StaticFile? {
        var directory = Foundation.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw StaticFileError(code: errno) }
        defer { close(directory) }
        for name in path.names.dropLast() {
            let next = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { return try StaticFileError.missing(errno) }
            // Only names were looked up in it.
            close(directory)
            directory = next
        }
        // Without O_NONBLOCK a pipe would hold the thread until somebody writes.
        let descriptor = openat(directory, path.fileName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return try StaticFileError.missing(errno) }
        return try StaticFile(descriptor)
    }

    /// The bytes, read piece by piece as the client takes them.
    var body: ResponseBody {
        guard size > 0 else { return ResponseBody() }
        return ResponseBody(contentLength: size) { writer in
            var offset = 0
            while offset < self.size {
                let start = offset
                let piece = try await FileThreads.run { try self.piece(at: start) }
                offset += piece.readableBytes
                try await writer.write(piece)
            }
            try await writer.finish(nil)
        }
    }

    /// - Throws: when the file has become shorter: the length is already promised, so the connection has to break.
    private func piece(at offset: Int) throws -> ByteBuffer {
        let length = min(Self.pieceBytes, size - offset)
        var buffer = ByteBufferAllocator().buffer(capacity: length)
        let count = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: length) { bytes in
            max(0, pread(descriptor, bytes.baseAddress, length, off_t(offset)))
        }
        guard count > 0 else { throw StaticFileError(code: EIO) }
        return buffer
    }
}

/// What the system says of a file that cannot be read.
struct StaticFileError: Error, CustomStringConvertible {
    let code: Int32

    var description: String { String(cString: strerror(code)) }

    /// Nil for the codes that mean that there is nothing to show.
    static func missing(_ code: Int32) throws -> StaticFile? {
        guard [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, EACCES, ENXIO].contains(code) else {
            throw StaticFileError(code: code)
        }
        return nil
    }
}

/// The threads on which files are read, so that a slow disk holds up nobody else's request.
enum FileThreads {
    static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result
    {
        try await NIOThreadPool.singleton.runIfActive(work)
    }
}
