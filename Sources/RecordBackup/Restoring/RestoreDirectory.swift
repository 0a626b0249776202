import Foundation
import RecordStorageSQLite

/// A new data directory, which is filled aside and becomes one that a server can use in one last step.
struct RestoreDirectory: Sendable {
    static let partialName = ".restoring"

    let path: String
    private var partial: String { path + "/" + Self.partialName }

    init(_ path: String) { self.path = path }

    /// Sees that nobody has used the directory.
    ///
    /// - Throws: ``BackupError``.
    func refuseUsed() throws {
        guard !StoreInspection.isServed(directory: path) else { throw BackupError.served(path) }
        let names = Set(try Files.names(in: path))
        // What a file system puts into its root, and what an interrupted restore left.
        guard names.subtracting(["lost+found", Self.partialName]).isEmpty else {
            throw BackupError.notEmpty(path)
        }
    }

    /// Fills it. When this throws, it holds nothing.
    ///
    /// - Parameter fill: brings database, secret and files into the folder that it is given.
    /// - Returns: what the closure gave.
    func fill<Value: Sendable>(_ fill: @Sendable (String) async throws -> Value) async throws -> Value {
        try refuseUsed()
        let existed = FileManager.default.fileExists(atPath: path)
        do {
            try await onOwnThread {
                try Files.makeFolder(path)
                try Files.remove(partial)
                try Files.makeFolder(partial)
            }
            let value = try await fill(partial)
            try await onOwnThread { try settle() }
            return value
        } catch {
            // What cannot be removed is recognised by its name.
            try? Files.remove(partial)
            // Only one that is empty again goes; what was thrown counts.
            if !existed { rmdir(path) }
            throw BackupError.naming(path, error)
        }
    }

    private func settle() throws {
        try StoreRestoration.passOverSequenceNumbers(directory: partial)
        try Files.sync(partial + "/" + SQLiteStore.fileName)
        try Files.sync(partial)
        try takeOwner()
        // The database comes last: with it, the directory is one that a server can use.
        let names = try Files.names(in: partial).sorted { first, second in
            (first == SQLiteStore.fileName ? 1 : 0, first) < (second == SQLiteStore.fileName ? 1 : 0, second)
        }
        for name in names { try Files.move(partial + "/" + name, to: path + "/" + name) }
        try Files.sync(path)
        try Files.remove(partial)
        try Files.sync(path)
    }

    /// Where root restores into the directory of a server's user, the files become that user's.
    private func takeOwner() throws {
        var info = stat()
        guard geteuid() == 0, stat(path, &info) == 0, info.st_uid != 0 else { return }
        let names = FileManager.default.enumerator(atPath: partial)?.compactMap { $0 as? String } ?? []
        for file in [partial] + names.map({ partial + "/" + $0 }) {
            guard lchown(file, info.st_uid, info.st_gid) == 0 else {
                throw BackupError.file("given to its user", file)
            }
        }
    }
}
