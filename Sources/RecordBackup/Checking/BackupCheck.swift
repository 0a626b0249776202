import AssetStorageFiles
import Crypto
import Foundation
import RecordModel
import RecordStorage
import RecordStorageSQLite

/// Reads a backup as a restore would, and compares it with its manifest; nothing is changed.
public struct BackupCheck: Sendable {
    private let path: String
    private let manifest: BackupManifest
    private let progress: BackupProgress

    private static let pageSize = 1_000

    init(path: String, manifest: BackupManifest, progress: @escaping BackupProgress) {
        self.path = path
        self.manifest = manifest
        self.progress = progress
    }

    /// Reads all of a backup: every part's digest, SQLite's integrity check and the agreement of its tables, and the
    /// bytes of every file that a record has.
    ///
    /// - Throws: ``BackupError`` that names what is wrong, or says that a newer program made it; `StorageError` where the
    ///   database in it cannot be read; `CancellationError`.
    public static func run(
        _ backup: Backup, program: ProgramVersion, progress: @escaping BackupProgress = { _, _, _ in }
    ) async throws {
        try backup.manifest.checkReadable(by: program)
        let check = BackupCheck(path: backup.path, manifest: backup.manifest, progress: progress)
        let problems = try await onOwnThread { try check.partProblems() + check.problems() }
        guard problems.isEmpty else { throw BackupError.damaged(backup.path, problems) }
    }

    /// What parts are missing or have other bytes than the manifest says.
    func partProblems() throws -> [String] {
        try manifest.parts.compactMap { part in
            guard Files.size(path + "/" + part.path) != nil else { return "\(part.path) is missing." }
            let content = try Files.read(path + "/" + part.path)
            return content == Files.Content(size: part.size, sha256: part.sha256)
                ? nil : "\(part.path) does not have the bytes that were written."
        }
    }

    /// What is wrong inside the database, and with the files.
    func problems() throws -> [String] {
        progress(.checking, 0, 1)
        let depth = StoreInspection.Depth(checksIndexes: true)
        let findings = try StoreInspection.run(directory: path, depth: depth)
        let problems = findings.filter { $0.severity == .problem }.map(\.message)
        return try problems.isEmpty ? fileProblems() : problems
    }

    private func fileProblems() throws -> [String] {
        let ledger = try AssetLedger(directory: path)
        let paths = AssetPaths(root: path + "/" + AssetPaths.folderName)
        let absent = Set(manifest.missing)
        let total = try ledger.totals().bytes
        var problems: [String] = []
        var names = SHA256()
        var done: Int64 = 0
        var last: AssetDigest?
        while case let rows = try ledger.rows(after: last, limit: Self.pageSize), !rows.isEmpty {
            last = rows.last?.content.digest
            for row in rows where !absent.contains(row.content.digest.hex) {
                let hex = row.content.digest.hex
                switch paths.condition(of: row.content, readsBytes: true) {
                case .good: names.update(data: Data((hex + "\n").utf8))
                // What nothing referred to any more may have been swept while the backup was made.
                case .missing where row.uses == 0: break
                case .missing: problems.append("The file \(hex) is missing.")
                case .damaged, .unreadable: problems.append("The file \(hex) is damaged.")
                }
                done &+= row.content.size
                progress(.reading, Int(done), Int(total))
            }
        }
        if problems.isEmpty, Array(names.finalize()).hex != manifest.assetsSHA256 {
            problems.append("Its files are not those that were written.")
        }
        return problems
    }
}
