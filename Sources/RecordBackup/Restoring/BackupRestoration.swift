import AssetStorageFiles
import Foundation
import RecordModel
import RecordStorage
import RecordStorageSQLite

/// Makes a data directory of a backup.
public struct BackupRestoration: Sendable {
    /// The folder of a restore on its way, in the new data directory; as long as it is there, no server should start.
    public static let partialName = RestoreDirectory.partialName

    private let backup: Backup
    private let directory: String
    private let program: ProgramVersion
    private let progress: BackupProgress

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
        let target = RestoreDirectory(directory)
        try target.refuseUsed()
        try await BackupCheck.run(backup, program: program, progress: progress)
        try await target.fill { partial in try await onOwnThread { try copy(to: partial) } }
    }

    private func copy(to partial: String) throws {
        // The text of the schemas is for people, and in the database anyway.
        let parts = backup.manifest.parts.filter { !$0.path.contains("/") }
        for (index, part) in parts.enumerated() {
            progress(.database, index, parts.count)
            let content = try Files.copy(backup.path + "/" + part.path, to: partial + "/" + part.path)
            guard content == Files.Content(size: part.size, sha256: part.sha256) else {
                throw BackupError.damaged(
                    backup.path, ["\(part.path) does not have the bytes that were written."])
            }
        }
        try copyFiles(to: partial)
    }

    private func copyFiles(to partial: String) throws {
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
}
