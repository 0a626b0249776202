import Foundation
public import ObjectStorage
import RecordModel

/// Backups as objects by name.
///
/// Each server has a folder of its own, named by its store, so that those of several servers in one place do not meet:
///
///     STORE/backups/stratus-TIME/stratus.sqlite, stratus.secret, schema/…, lists/files.txt, manifest.json
///     STORE/files/DIGEST
///
/// The manifest is written last, and removed first: without it there is no backup. Files are shared by all backups of a
/// server; `lists/files.txt` says which of them a backup has, one digest on each line, in order.
public struct ObjectBackups: BackupPlace {
    let objects: any ObjectStore

    static let listName = "lists/files.txt"
    static let backupsFolder = "backups/"
    static let filesFolder = "files/"
    private static let manifestBytes = 16 << 20

    /// Backups in a place.
    public init(_ objects: any ObjectStore) { self.objects = objects }

    public var location: String { objects.location }

    /// The name of a backup's folder, below the place; ends in `/`.
    func folder(of backup: Backup) -> String {
        "\(backup.manifest.store)/\(Self.backupsFolder)\(backup.name)/"
    }

    /// The name of a file that backups share.
    func file(_ digest: String, of store: String) -> String { "\(store)/\(Self.filesFolder)\(digest)" }

    /// The place and the name of one backup, where an address is that of one.
    ///
    /// - Returns: nil for the address of a place.
    static func split(_ location: String) -> (place: String, store: String, name: String)? {
        let halves = location.split(separator: "?", maxSplits: 1)
        var parts = halves[0].split(separator: "/", omittingEmptySubsequences: false)
        while parts.last == "" { parts.removeLast() }
        guard parts.count > 5, parts[parts.count - 2] + "/" == backupsFolder else { return nil }
        let (store, name) = (String(parts[parts.count - 3]), String(parts[parts.count - 1]))
        guard AssetFileName.isStore(store) else { return nil }
        let place = parts.dropLast(3).joined(separator: "/")
        return (place + (halves.count > 1 ? "?\(halves[1])" : ""), store, name)
    }

    /// One backup by its name.
    ///
    /// - Throws: ``BackupError`` where there is none, or its manifest cannot be read; `ObjectStorageError`; `CancellationError`.
    func backup(_ name: String, of store: String) async throws -> Backup {
        let folder = "\(store)/\(Self.backupsFolder)\(name)/"
        let path = "\(objects.location)/\(folder.dropLast())"
        guard try await objects.head(folder + BackupManifest.fileName) != nil else {
            throw BackupError.none(path)
        }
        return try await backup(in: folder, path: path)
    }

    public func list() async throws -> [Backup] {
        var found: [Backup] = []
        for store in try await objects.folders(in: "") where AssetFileName.isStore(store) {
            found += try await list(of: store)
        }
        return found.sorted { ($0.manifest.createdAt, $0.path) > ($1.manifest.createdAt, $1.path) }
    }

    /// The backups of one server, the newest first.
    func list(of store: String) async throws -> [Backup] {
        var found: [Backup] = []
        for name in try await objects.folders(in: "\(store)/\(Self.backupsFolder)").reversed() {
            let folder = "\(store)/\(Self.backupsFolder)\(name)/"
            guard try await objects.head(folder + BackupManifest.fileName) != nil else { continue }
            // One that cannot be read is passed over, as in a folder; naming it says why.
            if let backup = try? await backup(in: folder, path: "\(objects.location)/\(folder.dropLast())") {
                found.append(backup)
            }
        }
        return found
    }

    private func backup(in folder: String, path: String) async throws -> Backup {
        let bytes = try await objects.get(folder + BackupManifest.fileName, maximumBytes: Self.manifestBytes)
        return Backup(path: path, manifest: try BackupManifest(json: bytes, of: path))
    }

    public func make(
        of source: BackupSource, by program: ProgramVersion, plan: BackupPlan,
        progress: @escaping BackupProgress
    ) async throws -> BackupMaker.Outcome {
        try await ObjectBackupMaker(
            of: source, to: self, program: program, plan: plan, progress: progress
        ).run()
    }

    public func check(
        _ backup: Backup, by program: ProgramVersion, progress: @escaping BackupProgress
    ) async throws {
        try await ObjectBackupReader(self, backup, program: program, progress: progress).check()
    }

    public func restore(
        _ backup: Backup, to directory: String, by program: ProgramVersion,
        progress: @escaping BackupProgress
    ) async throws {
        try await RestoreDirectory(directory).fill { partial in
            try await ObjectBackupReader(self, backup, program: program, progress: progress).bring(
                to: partial)
        }
    }
}

/// Names in a place that others may write to.
enum AssetFileName {
    /// Whether a name is that of a server's folder.
    static func isStore(_ name: String) -> Bool { name.utf8.count == 32 && AssetDigest.isHex(name) }
}

extension AssetDigest {
    static func isHex(_ text: String) -> Bool {
        text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}
