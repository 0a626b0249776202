import Foundation
import ObjectStorage

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
            let upload = BackupUpload(
                of: source, to: objects, by: program, verifies: plan.verifies, progress: progress)
            let now = plan.now
            let prepared = try await upload.prepare(
                in: work.path, files: "\(source.store)/\(ObjectBackups.filesFolder)", now: { now })
            let name = BackupFolder.name(at: plan.now, taken: Set(earlier.map(\.name)))
            let backup = try await upload.send(
                prepared, from: work.path, to: "\(source.store)/\(ObjectBackups.backupsFolder)\(name)/")
            let removed = try await removeOld(work.path)
            return .init(
                backup: backup, sharedBytes: prepared.sharedBytes, removed: removed,
                duration: ContinuousClock.now - start)
        } catch { throw BackupError.naming(source.directory, error) }
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
