import Foundation
import ObjectStorage
import RecordStorage
import RecordStorageSQLite

/// Copies a database aside, checks it, and brings it to a store with the files that it knows.
struct BackupUpload: Sendable {
    /// What is ready to be sent: its files are in the store already.
    struct Prepared: Sendable {
        var manifest: BackupManifest
        var sharedBytes: Int64
    }

    private let source: BackupSource
    private let objects: any ObjectStore
    private let program: ProgramVersion
    private let verifies: Bool
    private let progress: BackupProgress

    private static let list = "files.txt"

    init(
        of source: BackupSource, to objects: any ObjectStore, by program: ProgramVersion, verifies: Bool,
        progress: @escaping BackupProgress
    ) {
        self.source = source
        self.objects = objects
        self.program = program
        self.verifies = verifies
        self.progress = progress
    }

    /// Copies and checks the database, and sends the files that the store lacks.
    ///
    /// - Parameters:
    ///   - work: an empty folder.
    ///   - files: what the names of files begin with.
    ///   - now: the time of the backup, asked for once the copy is there.
    func prepare(in work: String, files: String, now: @Sendable () -> Int64) async throws -> Prepared {
        try await source.copyDatabase(work + "/" + SQLiteStore.fileName) { progress(.database, $0, $1) }
        var manifest = BackupManifest(program: program, createdAt: now(), store: source.store)
        progress(.checking, 0, 1)
        let (summary, parts) = try await onOwnThread { [self] in
            let summary = try StoreSummary(directory: work)
            if verifies { try check(work) }
            return (summary, try self.parts(work) + BackupMaker.writeSchemas(summary.schemas, to: work))
        }
        manifest.layouts = summary.layouts
        manifest.sequence = summary.sequence
        for (name, count) in summary.counts { manifest.counts[name] = count }
        let sent = try await AssetUpload(
            objects, prefix: files, directory: source.directory, progress: progress
        ).run(database: work, list: work + "/" + Self.list)
        manifest.assetFiles = sent.count
        manifest.assetBytes = sent.bytes
        manifest.assetsSHA256 = sent.namesSHA256
        manifest.missing = sent.missing
        let list = try await onOwnThread { try Files.read(work + "/" + Self.list) }
        manifest.parts = parts + [.init(ObjectBackups.listName, list)]
        return Prepared(manifest: manifest, sharedBytes: sent.sharedBytes)
    }

    private func check(_ work: String) throws {
        let findings = try StoreInspection.run(directory: work, depth: .init(checksIndexes: true))
        let problems = findings.filter { $0.severity == .problem }.map(\.message)
        guard problems.isEmpty else { throw BackupError.unverified(source.directory, problems) }
    }

    private func parts(_ work: String) throws -> [BackupManifest.Part] {
        let database = try Files.read(work + "/" + SQLiteStore.fileName)
        let secret = source.directory + "/" + source.secretName
        // A server whose secret is in its settings has no file of it.
        guard FileManager.default.fileExists(atPath: secret) else {
            return [.init(SQLiteStore.fileName, database)]
        }
        let content = try Files.copy(secret, to: work + "/" + source.secretName)
        return [.init(SQLiteStore.fileName, database), .init(source.secretName, content)]
    }

    /// Sends all parts, reads them again, and writes the manifest, with which the backup is there.
    ///
    /// - Parameter folder: ends in `/`.
    func send(_ prepared: Prepared, from work: String, to folder: String) async throws -> Backup {
        var manifest = prepared.manifest
        for part in manifest.parts {
            progress(.sending, 0, 0)
            let local = part.path == ObjectBackups.listName ? Self.list : part.path
            try await objects.put(file: work + "/" + local, as: folder + part.path)
        }
        if verifies {
            for part in manifest.parts { try await readAgain(part, folder, work) }
            manifest.isVerified = true
        }
        try await objects.put(manifest.json, as: folder + BackupManifest.fileName)
        return Backup(path: "\(objects.location)/\(folder.dropLast())", manifest: manifest)
    }

    private func readAgain(_ part: BackupManifest.Part, _ folder: String, _ work: String) async throws {
        progress(.reading, 0, 0)
        let again = work + "/again"
        try await objects.get(folder + part.path, toFile: again)
        let content = try await onOwnThread { () -> Files.Content in
            // It lies in the folder of this run, which goes with it.
            defer { unlink(again) }
            return try Files.read(again)
        }
        guard content == Files.Content(size: part.size, sha256: part.sha256) else {
            throw BackupError.unverified(objects.location, ["\(part.path) came back with other bytes."])
        }
    }
}
