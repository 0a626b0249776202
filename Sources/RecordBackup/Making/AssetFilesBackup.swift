import AssetStorageFiles
import Crypto
import Foundation
import RecordModel
import RecordStorage
import RecordStorageSQLite

/// Brings the files that a copied database knows into its backup: as another name of an earlier backup's file where there
/// is one, else as a copy.
struct AssetFilesBackup {
    struct Outcome {
        var count = 0
        var bytes: Int64 = 0
        var sharedBytes: Int64 = 0
        /// Files that records have, and that are not there or not what their name says.
        var missing: [String] = []
        var namesSHA256 = ""
    }

    private let source: AssetPaths
    private let target: AssetPaths
    private let earlier: AssetPaths?
    private let ledger: AssetLedger
    private let progress: BackupProgress

    private static let pageSize = 1_000

    /// - Parameters:
    ///   - directory: the data directory.
    ///   - backup: the backup's folder, with its database.
    ///   - earlier: the folder of an earlier backup.
    init(from directory: String, to backup: String, earlier: String?, progress: @escaping BackupProgress)
        throws
    {
        source = AssetPaths(root: directory + "/" + AssetPaths.folderName)
        target = AssetPaths(root: backup + "/" + AssetPaths.folderName)
        self.earlier = earlier.map { AssetPaths(root: $0 + "/" + AssetPaths.folderName) }
        ledger = try AssetLedger(directory: backup)
        self.progress = progress
    }

    func run() throws -> Outcome {
        var outcome = Outcome()
        let total = try ledger.totals().files
        var names = SHA256()
        var folders = try NewAssetFolders(target)
        var last: AssetDigest?
        while case let rows = try ledger.rows(after: last, limit: Self.pageSize), !rows.isEmpty {
            last = rows.last?.content.digest
            for row in rows {
                if try take(row, &folders, &outcome) {
                    outcome.count += 1
                    outcome.bytes += row.content.size
                    names.update(data: Data((row.content.digest.hex + "\n").utf8))
                } else if row.uses > 0 {
                    outcome.missing.append(row.content.digest.hex)
                }
                progress(.files, outcome.count + outcome.missing.count, total)
            }
        }
        try folders.sync()
        outcome.namesSHA256 = Array(names.finalize()).hex
        return outcome
    }

    /// - Returns: false where the data directory does not have the file as it should be.
    private func take(
        _ row: AssetRow, _ folders: inout NewAssetFolders, _ outcome: inout Outcome
    ) throws -> Bool {
        let digest = row.content.digest
        let path = try folders.path(of: digest)
        if let earlier, Files.size(earlier.path(of: digest)) == row.content.size,
            link(earlier.path(of: digest), path) == 0
        {
            outcome.sharedBytes += row.content.size
            return true
        }
        // Whatever kept the file system from a second name: a copy takes more room, and is as good.
        guard Files.size(source.path(of: digest)) != nil else { return false }
        let content = try Files.copy(source.path(of: digest), to: path)
        guard content == Files.Content(size: row.content.size, sha256: digest.hex) else {
            try Files.remove(path)
            return false
        }
        return true
    }
}
