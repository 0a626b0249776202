import AssetStorageFiles
import Crypto
import Foundation
import ObjectStorage
import RecordModel
import RecordStorage
import RecordStorageSQLite

/// Reads a backup of objects and compares every byte with what was written.
struct ObjectBackupReader: Sendable {
    private let place: ObjectBackups
    private let backup: Backup
    private let program: ProgramVersion
    private let progress: BackupProgress

    private static let lanes = 4

    init(
        _ place: ObjectBackups, _ backup: Backup, program: ProgramVersion,
        progress: @escaping BackupProgress
    ) {
        self.place = place
        self.backup = backup
        self.program = program
        self.progress = progress
    }

    /// Reads all of it through a temporary folder, in which the database has room and files are one after the other.
    func check() async throws {
        let folder = NSTemporaryDirectory() + "/stratus-check-" + UUID().uuidString
        try await onOwnThread { try Files.makeFolder(folder) }
        do {
            try await read(into: folder, keepsFiles: false)
        } catch {
            // A temporary folder that stays takes space, and nothing else.
            try? await onOwnThread { try Files.remove(folder) }
            throw error
        }
        // A temporary folder that stays takes space, and nothing else.
        try? await onOwnThread { try Files.remove(folder) }
    }

    /// Brings all of it into a folder, as a data directory.
    func bring(to folder: String) async throws { try await read(into: folder, keepsFiles: true) }

    private func read(into folder: String, keepsFiles: Bool) async throws {
        try backup.manifest.checkReadable(by: program)
        var list = ""
        for (index, part) in backup.manifest.parts.enumerated() {
            progress(.database, index, backup.manifest.parts.count)
            let path = folder + "/" + (part.path.contains("/") ? ".part-\(index)" : part.path)
            try await place.objects.get(place.folder(of: backup) + part.path, toFile: path)
            let content = try await onOwnThread { try Files.read(path) }
            guard content == Files.Content(size: part.size, sha256: part.sha256) else {
                throw damaged("\(part.path) does not have the bytes that were written.")
            }
            // Schemas are for people, and in the database anyway.
            if part.path == ObjectBackups.listName {
                list = path
            } else if part.path.contains("/") {
                // It was read and compared; one that stays is in nobody's way in the folder.
                unlink(path)
            }
        }
        progress(.checking, 0, 1)
        let findings = try await onOwnThread {
            try StoreInspection.run(directory: folder, depth: .init(checksIndexes: true))
        }
        let problems = findings.filter { $0.severity == .problem }.map(\.message)
        guard problems.isEmpty else { throw BackupError.damaged(backup.path, problems) }
        guard !list.isEmpty else { throw damaged("It lists no files.") }
        try await readFiles(list, into: folder, keepsFiles: keepsFiles)
        // It was read; one that stays is in nobody's way in the folder.
        unlink(list)
    }

    private func damaged(_ sentence: String) -> BackupError { BackupError.damaged(backup.path, [sentence]) }

    private func readFiles(_ list: String, into folder: String, keepsFiles: Bool) async throws {
        let lines = try SortedLines(list)
        var folders = try NewAssetFolders(AssetPaths(root: folder + "/" + AssetPaths.folderName))
        var names = SHA256()
        var done = 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            while let line = lines.current {
                guard let digest = AssetDigest(hex: line) else {
                    throw damaged("Its list of files cannot be read.")
                }
                if done >= Self.lanes { try await group.next() }
                let path = try folders.path(of: digest)
                group.addTask { try await readFile(digest, to: path, keeps: keepsFiles) }
                names.update(data: Data((line + "\n").utf8))
                done += 1
                progress(.files, done, backup.manifest.assetFiles)
                try lines.advance()
            }
            try await group.waitForAll()
        }
        guard Array(names.finalize()).hex == backup.manifest.assetsSHA256 else {
            throw damaged("Its files are not those that were written.")
        }
        if keepsFiles { try folders.sync() }
    }

    private func readFile(_ digest: AssetDigest, to path: String, keeps: Bool) async throws {
        try await place.objects.get(place.file(digest.hex, of: backup.manifest.store), toFile: path)
        let content = try await onOwnThread { () -> Files.Content in
            if keeps { try Files.sync(path) }
            return try Files.read(path)
        }
        guard content.sha256 == digest.hex else { throw damaged("The file \(digest.hex) is damaged.") }
        // Read to be checked alone: the folder is thrown away.
        if !keeps { unlink(path) }
    }
}
