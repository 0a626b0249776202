import AssetStorageFiles
import Foundation
import RecordModel
import RecordStorage
import RecordStorageSQLite

/// Makes a data directory of a backup.
public struct BackupRestoration: Sendable {
    /// The folder of a restore on its way, in the new data directory; as long as it is there, no server should start.
    public static let partialName = ".restoring"

    private let backup: Backup
    private let directory: String
    private let program: ProgramVersion
    private let progress: BackupProgress

    private var partial: String { directory + "/" + Self.partialName }

    /// Prepares a restore.
    ///
    /// - Parameters:
    ///   - backup: what is restored; it is only read.
    ///   - directory: a directory that does not exist, or is empty but for a restore that was interrupted.
    ///   - program: who does it.
    ///   - progress: is told how far it is.
    public init(
        of backup: Backup, to directory: String, program: ProgramVersion,
        progress: @escaping BackupProgress = { _, _, _ in }
    ) {
        self.backup = backup
        self.directory = directory
        self.program = program
        self.progress = progress
    }

    /// Whether a directory holds a restore that did not come to its end.
    public static func isUnfinished(in directory: String) -> Bool {
        FileManager.default.fileExists(atPath: directory + "/" + partialName)
    }

    /// Checks the backup, and restores it. When it throws, the directory holds nothing of it.
    ///
    /// - Throws: ``BackupError``; `StorageError`; `CancellationError`.
    public func run() async throws {
        try refuseUsed()
        try await BackupCheck.run(backup, program: program, progress: progress)
        let existed = FileManager.default.fileExists(atPath: directory)
        do {
            try await onOwnThread { try restore() }
        } catch {
            // What cannot be removed is recognised by its name.
            try? Files.remove(partial)
            if !existed { rmdir(directory) }
            throw BackupError.naming(directory, error)
        }
    }

    private func refuseUsed() throws {
        guard !StoreInspection.isServed(directory: directory) else { throw BackupError.served(directory) }
        let names = Set(try Files.names(in: directory))
        // What a file system puts into its root, and what an interrupted restore left.
        guard names.subtracting(["lost+found", Self.partialName]).isEmpty else {
            throw BackupError.notEmpty(directory)
        }
    }

    private func restore() throws {
        try Files.makeFolder(directory)
        try Files.remove(partial)
        try Files.makeFolder(partial)
        // The text of the schemas is for people, and in the database anyway.
        let parts = backup.manifest.parts.filter { !$0.path.contains("/") }
        for (index, part) in parts.enumerated() {
            progress(.database, index, parts.count)
            let content = try Files.copy(backup.path + "/" + part.path, to: partial + "/" + part.path)
            guard content == Files.Content(size: part.size, sha256: part.sha256) else {
                throw BackupError.damaged(backup.path, ["\(part.path) has other bytes than were written."])
            }
        }
        try copyFiles()
        try StoreRestoration.passOverSequenceNumbers(directory: partial)
        try Files.sync(partial)
        try takeOwner()
        // The database comes last: with it, the directory is one that a server can use.
        let names = try Files.names(in: partial).sorted { first, second in
            (first == SQLiteStore.fileName ? 1 : 0, first) < (second == SQLiteStore.fileName ? 1 : 0, second)
        }
        for name in names { try Files.move(partial + "/" + name, to: directory + "/" + name) }
        try Files.sync(directory)
        try Files.remove(partial)
        try Files.sync(directory)
    }

    private func copyFiles() throws {
        let paths = AssetPaths(root: backup.path + "/" + AssetPaths.folderName)
        var folders = try NewAssetFolders(AssetPaths(root: partial + "/" + AssetPaths.folderName))
        var done = 0
        var last = paths.digests(after: nil, limit: 1_000)
        while let end = last.last {
            for digest in last {
                let content = try Files.copy(paths.path(of: digest), to: folders.path(of: digest))
                guard content.sha256 == digest.hex else {
                    throw BackupError.damaged(backup.path, ["The file \(digest.hex) is damaged."])
                }
                done += 1
                progress(.files, done, backup.manifest.assetFiles)
            }
            last = paths.digests(after: end, limit: 1_000)
        }
        try folders.sync()
    }

    /// Where root restores into the directory of a server's user, the files become that user's.
    private func takeOwner() throws {
        var info = stat()
        guard geteuid() == 0, stat(directory, &info) == 0, info.st_uid != 0 else { return }
        let names = FileManager.default.enumerator(atPath: partial)?.compactMap { $0 as? String } ?? []
        for path in [partial] + names.map({ partial + "/" + $0 }) {
            guard lchown(path, info.st_uid, info.st_gid) == 0 else {
                throw BackupError.file("given to its user", path)
            }
        }
    }
}
