import Crypto
import Foundation
import RecordModel

/// The calls of the file system that backups need. All of them block.
package enum Files {
    private static let pieceBytes = 1 << 20

    /// What was copied.
    struct Content: Hashable {
        var size: Int64
        var sha256: String
    }

    /// Reads a file to its end, piece by piece, and gives its size and its digest.
    static func read(
        _ path: String, _ visit: (UnsafeRawBufferPointer) throws -> Void = { _ in }
    ) throws -> Content {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw BackupError.file("opened", path) }
        // It was only read.
        defer { close(file) }
        var hasher = SHA256()
        var size: Int64 = 0
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        while true {
            let count = try piece.withUnsafeMutableBytes { buffer in
                let count = Foundation.read(file, buffer.baseAddress, buffer.count)
                guard count >= 0 || errno == EINTR else { throw BackupError.file("read", path) }
                guard count > 0 else { return count }
                let bytes = UnsafeRawBufferPointer(rebasing: buffer.prefix(count))
                hasher.update(bufferPointer: bytes)
                try visit(bytes)
                return count
            }
            if count == 0 { break }
            size += Int64(max(0, count))
        }
        return Content(size: size, sha256: Array(hasher.finalize()).hex)
    }

    /// Copies a file under a name that is not taken; it is on the disk then, and only its owner may read it.
    static func copy(
        _ source: String, to target: String, onRead: (Int) -> Void = { _ in }
    ) throws -> Content {
        let file = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw BackupError.file("made", target) }
        do {
            let content = try read(source) { bytes in
                try write(bytes, to: file, path: target)
                onRead(bytes.count)
            }
            guard fsync(file) == 0 else { throw BackupError.file("brought to the disk", target) }
            guard close(file) == 0 else { throw BackupError.file("closed", target) }
            return content
        } catch {
            // Closed twice where closing failed, which no other thread can notice: nothing was opened since.
            close(file)
            // What was thrown counts; a part of a copy is in no manifest.
            unlink(target)
            throw error
        }
    }

    /// Writes a new file, brings it to the disk, and gives its size and digest.
    static func write(_ bytes: some Sequence<UInt8>, to path: String) throws -> Content {
        let bytes = Array(bytes)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw BackupError.file("made", path) }
        defer { close(file) }
        try bytes.withUnsafeBytes { try write($0, to: file, path: path) }
        guard fsync(file) == 0 else { throw BackupError.file("brought to the disk", path) }
        return Content(size: Int64(bytes.count), sha256: Array(SHA256.hash(data: bytes)).hex)
    }

    /// Writes all of the bytes to an open file.
    static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, path: String) throws {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = Foundation.write(file, start, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw BackupError.file("written", path) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Makes a folder that only its owner may look into, with those above it; one that is there is left as it is.
    static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
            throw BackupError.full(path)
        } catch { throw BackupError.file("made", path) }
    }

    /// Brings a file, or the names in a folder, to the disk.
    static func sync(_ path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw BackupError.file("opened", path) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw BackupError.file("brought to the disk", path) }
    }

    /// Gives a file or a folder another name, which nothing but an ordinary file may have.
    static func move(_ path: String, to other: String) throws {
        guard isOrdinaryOrMissing(other) else { throw BackupError.foreign(other) }
        guard rename(path, other) == 0 else { throw BackupError.file("renamed", path) }
    }

    /// Removes an ordinary file, or a folder of ordinary files and folders; what is not there is no error.
    ///
    /// - Throws: ``BackupError`` where there is a link, a pipe, a device or a socket: nothing of that kind is ours, and
    ///   then nothing is removed.
    package static func remove(_ path: String) throws {
        try refuseForeign(path)
        do { try FileManager.default.removeItem(atPath: path) } catch let error as CocoaError
            where error.code == .fileNoSuchFile
        {} catch { throw BackupError.file("removed", path) }
    }

    /// Sees that a path has nothing but ordinary files and folders, as all that is written here has.
    ///
    /// - Throws: ``BackupError`` that names what is something else.
    static func refuseForeign(_ path: String) throws {
        var info = stat()
        guard lstat(path, &info) == 0 else { return }
        switch info.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: for name in try names(in: path) { try refuseForeign(path + "/" + name) }
        default: throw BackupError.foreign(path)
        }
    }

    /// Whether there is an ordinary file, or nothing: what may be written over.
    static func isOrdinaryOrMissing(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) != 0 || info.st_mode & S_IFMT == S_IFREG
    }

    /// The size of an ordinary file; nil where there is none.
    static func size(_ path: String) -> Int64? {
        var info = stat()
        guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(info.st_size)
    }

    /// The names in a folder, sorted; none where it is not there.
    static func names(in folder: String) throws -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } catch let error
            as CocoaError
            where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile
        { return [] } catch {
            throw BackupError.file("listed", folder)
        }
    }
}
