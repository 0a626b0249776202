import Foundation
import RecordBackup
import RecordStorage
import RecordStorageSQLite

/// Looks at a data directory as the file system sees it.
struct DirectoryInspection {
    /// Below this a disk is nearly full for a database that grows.
    private static let littleSpaceBytes: Int64 = 536_870_912

    /// The directory.
    let directory: String
    /// Whether a secret is given to this process, as it may be to the server, so that no file of it is needed.
    var hasSecret = false

    /// What was found; the last one is a problem when there is no database to look into.
    func findings() -> [StoreFinding] {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory) else {
            return [
                StoreFinding(
                    "directory-exists", .problem, "The data directory \(directory) does not exist.",
                    remedy: "Name the server's directory with --data.")
            ]
        }
        guard isDirectory.boolValue else {
            return [
                StoreFinding(
                    "directory-exists", .problem, "\(directory) is a file, not a directory.",
                    remedy: "Name the directory that holds \(SQLiteStore.fileName) with --data.")
            ]
        }
        return [accessFinding, spaceFinding, lockFinding, secretFinding, fileFinding] + originFindings
    }

    private var accessFinding: StoreFinding {
        // A directory that cannot be listed is looked at itself, which finds that it may not be read.
        let files = ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
        let paths = [directory] + files.filter { $0.hasPrefix("stratus.") }.map { directory + "/" + $0 }
        let locked = paths.filter { access($0, R_OK | W_OK) != 0 }
        guard let first = locked.first else {
            return StoreFinding(
                "access-rights", .good, "The directory and its files can be read and written.")
        }
        return StoreFinding(
            "access-rights", .problem, "This user may not read and write \(first).",
            remedy: "Run as the server's user, or give it the files: chown -R USER \(directory)")
    }

    private var spaceFinding: StoreFinding {
        // What cannot be read is a finding.
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: directory)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value else {
            return StoreFinding("disk-space", .warning, "The free space of the disk cannot be read.")
        }
        guard free < Self.littleSpaceBytes else {
            return StoreFinding("disk-space", .good, "\(Format.bytes(free)) are free on the disk.")
        }
        return StoreFinding(
            "disk-space", .warning, "Only \(Format.bytes(free)) are free on the disk.",
            remedy: "Free some space: on a full disk the server refuses to write.")
    }

    private var lockFinding: StoreFinding {
        StoreInspection.isServed(directory: directory)
            ? StoreFinding("lock", .good, "A server is running on the directory.")
            : StoreFinding("lock", .good, "No server is running on the directory.")
    }

    private var secretFinding: StoreFinding {
        let path = directory + "/" + ServerSecret.fileName
        // What cannot be read is a finding.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue else {
            return missingSecretFinding(path)
        }
        let size = (attributes?[.size] as? NSNumber)?.intValue ?? 0
        guard size >= ServerSecret.byteCount else {
            return StoreFinding(
                "secret", .problem,
                "The secret \(path) has \(size) bytes instead of \(ServerSecret.byteCount): no server starts with it.",
                remedy:
                    "Restore it from the backup; or remove it, which ends all continuation markers and sync tokens, and loses encrypted fields where no masterKey is set."
            )
        }
        guard mode & 0o077 != 0 else {
            return StoreFinding("secret", .good, "Only its owner can read the secret.")
        }
        return StoreFinding(
            "secret", .warning, "Other users of this machine can read the secret.",
            remedy: "chmod 600 \(path)")
    }

    private func missingSecretFinding(_ path: String) -> StoreFinding {
        if hasSecret {
            return StoreFinding(
                "secret", .good, "The secret is given in the settings; its file is not needed.")
        }
        guard (try? StoreInspection.holdsRecords(directory: directory)) == true else {
            return StoreFinding(
                "secret", .good, "There is no secret yet; the server makes one, or has STRATUS_SECRET.")
        }
        return StoreFinding(
            "secret", .warning,
            "The database holds records, but \(path) is missing: with a new secret the server refuses all markers and sync tokens it gave before.",
            remedy:
                "Restore \(ServerSecret.fileName) from the backup before the server starts. If the server has STRATUS_SECRET, all is well."
        )
    }

    /// A database that came here alone: the file itself does not tell whether it was whole when it was copied, but a
    /// directory in which no server ran, and that no command of ours made, has it from somewhere else.
    private var originFindings: [StoreFinding] {
        func exists(_ name: String) -> Bool {
            FileManager.default.fileExists(atPath: directory + "/" + name)
        }
        let traces = [
            SQLiteStore.fileName + "-wal", "stratus.lock", BackupManifest.fileName, "recovery.json",
        ]
        guard exists(SQLiteStore.fileName), !traces.contains(where: exists) else { return [] }
        return [
            StoreFinding(
                "origin", .warning,
                "No server has run on this directory, so the database was copied here, without a log. A copy that was made while a server was running lacks the newest writes.",
                remedy:
                    "If so, make another one: 'stratus backup TO' works while the server runs. If the server was stopped, all is well."
            )
        ]
    }

    private var fileFinding: StoreFinding {
        let path = directory + "/" + SQLiteStore.fileName
        // What cannot be read is a finding.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let size = (attributes?[.size] as? NSNumber)?.int64Value else {
            return StoreFinding(
                "database-file", .problem, "There is no \(SQLiteStore.fileName) in \(directory).",
                remedy: "Start the server once, or restore a backup: stratus serve --data \(directory)")
        }
        return StoreFinding("database-file", .good, "The database has \(Format.bytes(size)).")
    }
}
