import Foundation

/// Objects as files below a folder, each brought to the disk before it gets its name.
public struct FolderStore: ObjectStore {
    public let location: String

    private static let partialPrefix = ".partial-"

    /// Names a folder; it is made with the first object.
    public init(path: String) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        location = path
    }

    private func path(of name: String) -> String { location + "/" + name }

    public func put(_ bytes: [UInt8], as name: String) async throws {
        try await onThread {
            try place(name) { file, path in
                try bytes.withUnsafeBytes { try OpenedFile.write($0, to: file, path) }
            }
        }
    }

    public func put(file source: String, as name: String) async throws {
        try await onThread {
            try place(name) { file, path in
                try OpenedFile.read(source) { try OpenedFile.write($0, to: file, path) }
            }
        }
    }

    private func place(_ name: String, _ fill: (Int32, String) throws -> Void) throws {
        let path = path(of: name)
        let folder = (path as NSString).deletingLastPathComponent
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
            throw ObjectStorageError.file("made", folder, ENOSPC)
        } catch { throw ObjectStorageError.file("made", folder, EACCES) }
        let draft = folder + "/" + Self.partialPrefix + UUID().uuidString
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw ObjectStorageError.file("made", draft, errno) }
        do {
            defer { close(file) }
            try fill(file, draft)
            guard fsync(file) == 0 else {
                throw ObjectStorageError.file("brought to the disk", draft, errno)
            }
            try Self.refuseOther(than: path)
            guard rename(draft, path) == 0 else { throw ObjectStorageError.file("renamed", draft, errno) }
        } catch {
            // What stays has a name of its own, by which it is known as unfinished.
            unlink(draft)
            throw error
        }
        try OpenedFile.sync(folder)
    }

    public func get(_ name: String, maximumBytes: Int) async throws -> [UInt8] {
        try await onThread {
            try expectFile(name)
            var bytes: [UInt8] = []
            try OpenedFile.read(path(of: name)) { piece in
                guard bytes.count + piece.count <= maximumBytes else {
                    throw ObjectStorageError.tooLong(name)
                }
                bytes.append(contentsOf: piece)
            }
            return bytes
        }
    }

    public func get(_ name: String, toFile target: String) async throws {
        try await onThread {
            try expectFile(name)
            let file = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw ObjectStorageError.file("made", target, errno) }
            defer { close(file) }
            do {
                try OpenedFile.read(path(of: name)) { try OpenedFile.write($0, to: file, target) }
            } catch {
                // The reason above counts; who asked for the file throws its folder away.
                unlink(target)
                throw error
            }
        }
    }

    /// Sees that there is an ordinary file or nothing: no object is a link, a folder, a pipe or a device.
    private static func refuseOther(than path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        throw ObjectStorageError.file("replaced or removed, since it is not an ordinary file", path, EINVAL)
    }

    private func expectFile(_ name: String) throws {
        guard size(name) != nil else { throw ObjectStorageError.missing(name, in: location) }
    }

    private func size(_ name: String) -> Int64? { info(name)?.size }

    private func info(_ name: String) -> ObjectInfo? {
        var info = stat()
        guard lstat(path(of: name), &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return ObjectInfo(
            name: name, size: Int64(info.st_size), modifiedAt: Int64(info.st_mtim.tv_sec) * 1_000)
    }

    public func head(_ name: String) async throws -> ObjectInfo? {
        try await onThread { size(name).map { ObjectInfo(name: name, size: $0) } }
    }

    /// All of them on one page.
    public func list(_ prefix: String, from token: String?) async throws -> ObjectPage {
        try await onThread {
            let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
            let found = FileManager.default.enumerator(atPath: path(of: folder))
            var names: [String] = []
            while let name = found?.nextObject() as? String {
                if !name.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
                    names.append(folder + name)
                }
            }
            let objects = names.filter { $0.hasPrefix(prefix) }.sorted {
                $0.utf8.lexicographicallyPrecedes($1.utf8)
            }
            .compactMap(info)
            return ObjectPage(objects: objects, next: nil)
        }
    }

    public func folders(in folder: String) async throws -> [String] {
        try await onThread {
            try Self.names(in: path(of: folder)).filter { name in
                var isFolder: ObjCBool = false
                return !name.hasPrefix(".")
                    && FileManager.default.fileExists(atPath: path(of: folder + name), isDirectory: &isFolder)
                    && isFolder.boolValue
            }.sorted()
        }
    }

    /// What is in a folder; nothing where there is none yet.
    private static func names(in folder: String) throws -> [String] {
        guard let opened = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw ObjectStorageError.file("listed", folder, errno)
        }
        closedir(opened)
        do { return try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
            throw ObjectStorageError.file("listed", folder, EIO)
        }
    }

    public func delete(_ name: String) async throws {
        try await onThread {
            let path = path(of: name)
            try Self.refuseOther(than: path)
            guard unlink(path) == 0 || errno == ENOENT else {
                throw ObjectStorageError.file("removed", path, errno)
            }
            // A folder that is empty now. Others are left: rmdir refuses them, and so nothing is lost.
            rmdir((path as NSString).deletingLastPathComponent)
        }
    }

    public func removeUnfinished(_ prefix: String) async throws {
        try await onThread {
            let folder = path(of: prefix)
            let found = FileManager.default.enumerator(atPath: folder)
            while let name = found?.nextObject() as? String {
                guard (name as NSString).lastPathComponent.hasPrefix(Self.partialPrefix),
                    (try? Self.refuseOther(than: folder + "/" + name)) != nil
                else { continue }
                // What stays is looked at again the next time, and is in nobody's way.
                unlink(folder + "/" + name)
            }
        }
    }
}

/// The calls for files that both stores need. All of them block.
enum OpenedFile {
    private static let pieceBytes = 1 << 20

    /// Reads a file to its end, piece by piece.
    static func read(_ path: String, _ visit: (UnsafeRawBufferPointer) throws -> Void) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw ObjectStorageError.file("opened", path, errno) }
        // It was only read.
        defer { close(file) }
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        while true {
            let count = try piece.withUnsafeMutableBytes { buffer in
                let count = Foundation.read(file, buffer.baseAddress, buffer.count)
                guard count >= 0 || errno == EINTR else {
                    throw ObjectStorageError.file("read", path, errno)
                }
                if count > 0 { try visit(UnsafeRawBufferPointer(rebasing: buffer.prefix(count))) }
                return count
            }
            if count == 0 { return }
        }
    }

    /// Reads some bytes at a place; fewer where the file ends.
    static func read(_ path: String, at offset: Int64, count: Int) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw ObjectStorageError.file("opened", path, errno) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let found = bytes.withUnsafeMutableBytes {
                pread(file, $0.baseAddress.map { $0 + done }, count - done, off_t(offset) + off_t(done))
            }
            if found < 0, errno == EINTR { continue }
            guard found >= 0 else { throw ObjectStorageError.file("read", path, errno) }
            if found == 0 { break }
            done += found
        }
        bytes.removeLast(count - done)
        return bytes
    }

    static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, _ path: String) throws {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = Foundation.write(file, start, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw ObjectStorageError.file("written", path, errno) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Brings the names in a folder to the disk.
    static func sync(_ path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw ObjectStorageError.file("opened", path, errno) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw ObjectStorageError.file("brought to the disk", path, errno) }
    }

    /// The number of a file's bytes.
    static func size(_ path: String) throws -> Int64 {
        var info = stat()
        guard stat(path, &info) == 0 else { throw ObjectStorageError.file("read", path, errno) }
        return Int64(info.st_size)
    }
}

/// Runs what waits for a disk elsewhere than on the threads that Swift's tasks share.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try Task.checkCancellation()
    return try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global(qos: .utility).async { continuation.resume(with: Result { try work() }) }
    }
}
