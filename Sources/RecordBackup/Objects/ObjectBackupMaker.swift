import AssetStorageFiles
import Crypto
import Foundation
import ObjectStorage
import RecordModel
import RecordStorage
import RecordStorageSQLite

/// Makes a backup of objects: a checked copy of the database beside the data first, then everything to the store, and the
/// manifest last.
struct ObjectBackupMaker: Sendable {
    private let source: BackupSource
    private let place: ObjectBackups
    private let program: ProgramVersion
    private let plan: BackupPlan
    private let progress: BackupProgress

    private static let workName = "stratus.backup-work"

    init(
        of source: BackupSource, to place: ObjectBackups, program: ProgramVersion, plan: BackupPlan,
        progress: @escaping BackupProgress
    ) {
        self.source = source
        self.place = place
        self.program = program
        self.plan = plan
        self.progress = progress
    }

    private var objects: any ObjectStore { place.objects }

    func run() async throws -> BackupMaker.Outcome {
        let start = ContinuousClock.now
        // Whether the key is good shows before the work begins.
        let earlier = try await place.list(of: source.store)
        let work = try await onOwnThread { try WorkFolder(in: source.directory, name: Self.workName) }
        defer { work.remove() }
        do {
            try await removeUnfinished()
            let database = work.path + "/" + SQLiteStore.fileName
            try await source.copyDatabase(database) { progress(.database, $0, $1) }
            var manifest = BackupManifest(program: program, createdAt: plan.now, store: source.store)
            try await prepare(&manifest, work.path)
            let upload = AssetUpload(
                objects, prefix: "\(source.store)/\(ObjectBackups.filesFolder)",
                directory: source.directory, progress: progress)
            let files = try await upload.run(database: work.path, list: work.path + "/files.txt")
            manifest.assetFiles = files.count
            manifest.assetBytes = files.bytes
            manifest.assetsSHA256 = files.namesSHA256
            manifest.missing = files.missing
            let backup = try await place(manifest, work.path, earlier)
            let removed = try await removeOld(work.path)
            return .init(
                backup: backup, sharedBytes: files.sharedBytes, removed: removed,
                duration: ContinuousClock.now - start)
        } catch { throw BackupError.naming(source.directory, error) }
    }

    /// What is in the copy, and whether it is sound.
    private func prepare(_ manifest: inout BackupManifest, _ work: String) async throws {
        let verifies = plan.verifies
        progress(.checking, 0, 1)
        let (summary, parts) = try await onOwnThread { [source] in
            let summary = try StoreSummary(directory: work)
            if verifies {
                let findings = try StoreInspection.run(directory: work, depth: .init(checksIndexes: true))
                let problems = findings.filter { $0.severity == .problem }.map(\.message)
                guard problems.isEmpty else { throw BackupError.unverified(source.directory, problems) }
            }
            let database = try Files.read(work + "/" + SQLiteStore.fileName)
            var parts = [BackupManifest.Part(SQLiteStore.fileName, database)]
            let secret = source.directory + "/" + source.secretName
            if FileManager.default.fileExists(atPath: secret) {
                parts.append(
                    .init(source.secretName, try Files.copy(secret, to: work + "/" + source.secretName)))
            }
            return (summary, parts + (try BackupMaker.writeSchemas(summary.schemas, to: work)))
        }
        manifest.layouts = summary.layouts
        manifest.sequence = summary.sequence
        for (name, count) in summary.counts { manifest.counts[name] = count }
        manifest.parts = parts
    }

    /// Writes all parts, reads them again, and writes the manifest.
    private func place(_ manifest: BackupManifest, _ work: String, _ earlier: [Backup]) async throws -> Backup
    {
        var manifest = manifest
        let name = BackupFolder.name(at: plan.now, taken: Set(earlier.map(\.name)))
        let folder = "\(source.store)/\(ObjectBackups.backupsFolder)\(name)/"
        manifest.parts.append(
            .init(ObjectBackups.listName, try await onOwnThread { try Files.read(work + "/files.txt") }))
        for part in manifest.parts {
            let local = part.path == ObjectBackups.listName ? "files.txt" : part.path
            progress(.sending, 0, 0)
            try await objects.put(file: work + "/" + local, as: folder + part.path)
        }
        if plan.verifies {
            for part in manifest.parts {
                progress(.reading, 0, 0)
                let again = work + "/again"
                try await objects.get(folder + part.path, toFile: again)
                let content = try await onOwnThread { () -> Files.Content in
                    defer { unlink(again) }
                    return try Files.read(again)
                }
                guard content == Files.Content(size: part.size, sha256: part.sha256) else {
                    throw BackupError.unverified(
                        objects.location, ["\(part.path) came back with other bytes."])
                }
            }
            manifest.isVerified = true
        }
        try await objects.put(manifest.json, as: folder + BackupManifest.fileName)
        return Backup(path: "\(objects.location)/\(folder.dropLast())", manifest: manifest)
    }

    /// Removes what interrupted backups of this server left: folders without a manifest, and parts of uploads.
    private func removeUnfinished() async throws {
        let root = "\(source.store)/\(ObjectBackups.backupsFolder)"
        for name in try await objects.folders(in: root) {
            let folder = "\(root)\(name)/"
            guard try await objects.head(folder + BackupManifest.fileName) == nil else { continue }
            try await objects.forEach(folder) { try await objects.delete($0.name) }
        }
        try await objects.removeUnfinished("\(source.store)/")
    }

    /// Removes all but the newest backups, and then the files that no backup has.
    private func removeOld(_ work: String) async throws -> [String] {
        guard let keeps = plan.keeps else { return [] }
        let all = try await place.list(of: source.store)
        let old = all.dropFirst(keeps)
        guard !old.isEmpty else { return [] }
        progress(.removing, 0, 0)
        for backup in old {
            let folder = place.folder(of: backup)
            // First: one that is half removed must not be taken for a backup.
            try await objects.delete(folder + BackupManifest.fileName)
            try await objects.forEach(folder) { try await objects.delete($0.name) }
        }
        var lists: [SortedLines] = []
        for (index, backup) in all.prefix(keeps).enumerated() {
            let path = "\(work)/kept-\(index)"
            try await objects.get(place.folder(of: backup) + ObjectBackups.listName, toFile: path)
            lists.append(try SortedLines(path))
        }
        let prefix = "\(source.store)/\(ObjectBackups.filesFolder)"
        try await objects.forEach(prefix) { object in
            let digest = String(object.name.dropFirst(prefix.count))
            for list in lists where try list.contains(digest) { return }
            try await objects.delete(object.name)
        }
        return old.map(\.name)
    }
}
