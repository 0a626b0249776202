import AssetStorageFiles
import Foundation
import ObjectStorage
import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import SchemaLanguage

/// Makes a backup: everything under a name that is not a backup's, checked, synced, and renamed at the end.
public struct BackupMaker: Sendable {
    /// What came of it.
    public struct Outcome: Sendable {
        /// The backup.
        public var backup: Backup
        /// The bytes of files that earlier backups have too, and that take no room again.
        public var sharedBytes: Int64
        /// The names of old backups that were removed.
        public var removed: [String]
        /// How long it took.
        public var duration: Duration
    }

    private let source: BackupSource
    private let folder: BackupFolder
    private let program: ProgramVersion
    private let keeps: Int?
    private let verifies: Bool
    private let now: Int64
    private let progress: BackupProgress

    /// Prepares a backup.
    ///
    /// - Parameters:
    ///   - source: what is backed up.
    ///   - folder: where backups are.
    ///   - program: who makes it.
    ///   - keeps: how many of this store stay there, with the new one; nil for all.
    ///   - verifies: whether it is opened and read before it counts.
    ///   - now: milliseconds since 1970.
    ///   - progress: is told how far it is.
    public init(
        of source: BackupSource, to folder: BackupFolder, program: ProgramVersion, keeps: Int? = nil,
        verifies: Bool = true, now: Int64, progress: @escaping BackupProgress = { _, _, _ in }
    ) {
        self.source = source
        self.folder = folder
        self.program = program
        self.keeps = keeps
        self.verifies = verifies
        self.now = now
        self.progress = progress
    }

    /// Makes it. When this returns, it is on the disk; when it throws, or the process dies, there is none of it, but a
    /// folder that the next backup removes.
    ///
    /// - Throws: ``BackupError``; `StorageError`; `CancellationError`.
    public func run() async throws -> Outcome {
        let start = ContinuousClock.now
        let lock = try await onOwnThread {
            let lock = try folder.lock()
            try folder.removePartial()
            return lock
        }
        defer { _ = lock }
        let partial = try folder.makePartial()
        do {
            let (backup, shared) = try await make(in: partial)
            let removed = try await onOwnThread { try removeOld() }
            return Outcome(
                backup: backup, sharedBytes: shared, removed: removed, duration: ContinuousClock.now - start)
        } catch {
            // What cannot be removed now is removed by the next backup.
            try? await onOwnThread { try Files.remove(partial) }
            throw BackupError.naming(folder.path, error)
        }
    }

    private func make(in partial: String) async throws -> (Backup, sharedBytes: Int64) {
        let database = partial + "/" + SQLiteStore.fileName
        try await source.copyDatabase(database) { progress(.database, $0, $1) }
        return try await onOwnThread {
            guard chmod(database, 0o600) == 0 else { throw BackupError.file("protected", database) }
            try Files.sync(database)
            var manifest = BackupManifest(program: program, createdAt: now, store: source.store)
            let shared = try addParts(to: partial, &manifest)
            if verifies {
                let problems = try BackupCheck(path: partial, manifest: manifest, progress: progress)
                    .problems()
                guard problems.isEmpty else { throw BackupError.unverified(folder.path, problems) }
                manifest.isVerified = true
            }
            _ = try Files.write(manifest.json, to: partial + "/" + BackupManifest.fileName)
            try Files.sync(partial)
            let path = try folder.place(partial, at: now)
            return (Backup(path: path, manifest: manifest), shared)
        }
    }

    private func addParts(to partial: String, _ manifest: inout BackupManifest) throws -> Int64 {
        let summary = try StoreSummary(directory: partial)
        manifest.layouts = summary.layouts
        manifest.sequence = summary.sequence
        for (name, count) in summary.counts { manifest.counts[name] = count }
        let files = try AssetFilesBackup(
            from: source.directory, to: partial, earlier: try folder.backups().first?.path,
            progress: progress
        ).run()
        manifest.assetFiles = files.count
        manifest.assetBytes = files.bytes
        manifest.assetsSHA256 = files.namesSHA256
        manifest.missing = files.missing
        let database = try Files.read(partial + "/" + SQLiteStore.fileName)
        manifest.parts = [.init(SQLiteStore.fileName, database)]
        let secret = source.directory + "/" + source.secretName
        // A server whose secret is in its settings has no file of it.
        if FileManager.default.fileExists(atPath: secret) {
            let content = try Files.copy(secret, to: partial + "/" + source.secretName)
            manifest.parts.append(.init(source.secretName, content))
        }
        manifest.parts += try Self.writeSchemas(summary.schemas, to: partial)
        return files.sharedBytes
    }

    /// Writes the schemas as text.
    static func writeSchemas(_ schemas: [Tenant: Schema], to partial: String) throws -> [BackupManifest.Part]
    {
        let name = "schema"
        try Files.makeFolder(partial + "/" + name)
        let parts = try schemas.sorted { "\($0.key)" < "\($1.key)" }.map { tenant, schema in
            // A container's name has nothing in it that a file's may not have.
            let path = "\(name)/\(tenant.container.rawValue).\(tenant.environment.rawValue).ckdb"
            let text = SchemaText.document(of: schema).description
            return BackupManifest.Part(path, try Files.write(Array(text.utf8), to: partial + "/" + path))
        }
        try Files.sync(partial + "/" + name)
        return parts
    }

    private func removeOld() throws -> [String] {
        guard let keeps else { return [] }
        progress(.removing, 0, 0)
        return try folder.remove(olderThanNewest: keeps, of: source.store)
    }
}

extension BackupManifest.Part {
    init(_ path: String, _ content: Files.Content) {
        self.init(path: path, size: content.size, sha256: content.sha256)
    }
}

extension BackupError {
    /// Says which disk is full, where a part below only knows that one is.
    static func naming(_ path: String, _ error: any Error) -> any Error {
        let isFull = (error as? StorageError)?.isFull ?? (error as? ObjectStorageError)?.isFull ?? false
        return isFull ? BackupError.full(path) : error
    }
}
