import Foundation
import RecordStorage

/// Why a backup could not be made, read or restored.
public struct BackupError: Error, Sendable, CustomStringConvertible {
    /// A name that does not change between versions.
    public let code: String
    /// What happened, in a sentence.
    public let message: String
    /// What to do about it.
    public let remedy: String
    /// What lies beneath.
    public let cause: (any Error)?

    private init(_ code: String, _ message: String, remedy: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.cause = cause
    }

    public var description: String {
        cause.map { "\(code): \(message) (cause: \($0))" } ?? "\(code): \(message)"
    }

    static func full(_ path: String) -> BackupError {
        BackupError(
            "BACKUP_DISK_FULL", "The disk of \(path) is full; nothing of this backup was kept there.",
            remedy: "Free some space, keep fewer backups (--keep), or name another folder.")
    }

    static func file(_ what: String, _ path: String, _ code: Int32 = errno) -> BackupError {
        if code == ENOSPC || code == EDQUOT { return full(path) }
        return BackupError(
            "BACKUP_FILE", "\(path) cannot be \(what): \(String(cString: strerror(code))).",
            remedy: "Make sure that this user may read the data directory and write to the folder of backups."
        )
    }

    static func foreign(_ path: String) -> BackupError {
        BackupError(
            "BACKUP_FOREIGN", "\(path) is not a file or folder of Stratus, so it stays as it is.",
            remedy: "See what it is, and move it away, or name another folder.")
    }

    static func busy(_ path: String) -> BackupError {
        BackupError(
            "BACKUP_BUSY", "Another backup works on \(path).", remedy: "Wait until it is done, and try again."
        )
    }

    static func snapshot(_ reason: String) -> BackupError {
        BackupError(
            "BACKUP_SNAPSHOT", "The server could not copy its database: \(reason)",
            remedy: "The server's log has the cause.")
    }

    static func damaged(_ path: String, _ problems: [String]) -> BackupError {
        let more = problems.count > 3 ? " And \(problems.count - 3) more." : ""
        return BackupError(
            "BACKUP_DAMAGED",
            "The backup \(path) is not what was written: \(problems.prefix(3).joined(separator: " "))\(more)",
            remedy: "Use an older backup, and check the disk of this one.")
    }

    static func unverified(_ path: String, _ problems: [String]) -> BackupError {
        BackupError(
            "BACKUP_UNVERIFIED",
            "The copy did not pass its verification, so it was not kept: \(problems.prefix(3).joined(separator: " "))",
            remedy:
                "Run 'stratus doctor' on the data directory; if that finds no fault, check the disk of \(path)."
        )
    }

    static func none(_ path: String) -> BackupError {
        BackupError(
            "BACKUP_NONE", "There is no backup in \(path).",
            remedy: "Name the folder that 'stratus backup' was given, or one of the backups in it.")
    }

    static func tooNew(_ version: String, ours: String) -> BackupError {
        BackupError(
            "BACKUP_TOO_NEW",
            "This backup was made by Stratus \(version), and this is \(ours), which cannot read it.",
            remedy: "Install Stratus \(version) or newer, and restore with that.")
    }

    static func archive(_ reason: String) -> BackupError {
        BackupError(
            "ARCHIVE_BEHIND", "The log is not archived any more: \(reason)",
            remedy:
                "Make sure that the archive can be reached; a new chain with a new base then begins by itself."
        )
    }

    static func noArchive(_ place: String) -> BackupError {
        BackupError(
            "ARCHIVE_NONE", "There is no archive with a base in \(place).",
            remedy: "Name what the server has as --archive-to, or restore a backup without --at.")
    }

    static func severalArchives(_ place: String, _ stores: [String]) -> BackupError {
        BackupError(
            "ARCHIVE_SEVERAL",
            "\(place) has the archives of \(stores.count) servers: \(stores.prefix(5).joined(separator: ", ")).",
            remedy: "Name one of them, as in \(place)/\(stores.first ?? "")")
    }

    static func tooEarly(_ first: Int64) -> BackupError {
        BackupError(
            "ARCHIVE_TOO_EARLY",
            "The archive begins later: its first moment is \(text(first, roundsUp: true)).",
            remedy: "Name that moment or a later one, or restore an older backup.")
    }

    static func unarchived(from: Int64, to: Int64) -> BackupError {
        BackupError(
            "ARCHIVE_GAP",
            "Nothing was archived between \(text(from)) and \(text(to, roundsUp: true)), so what was there then is not known.",
            remedy: "Name \(text(from)) or an earlier moment, or one from \(text(to, roundsUp: true)) on.")
    }

    static func gap(_ name: String) -> BackupError {
        BackupError(
            "ARCHIVE_DAMAGED", "A part of the log before \(name) is missing.",
            remedy: "Name an earlier moment, or one after the next base; see who removes objects there.")
    }

    private static func text(_ milliseconds: Int64, roundsUp: Bool = false) -> String {
        let seconds = (milliseconds + (roundsUp ? 999 : 0)) / 1_000
        return Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }

    static func notEmpty(_ directory: String) -> BackupError {
        BackupError(
            "RESTORE_NOT_EMPTY", "\(directory) is not empty; a backup is restored into a new directory only.",
            remedy: "Move it away first (mv \(directory) \(directory).old), or name another one with --data.")
    }

    static func served(_ directory: String) -> BackupError {
        BackupError(
            "RESTORE_SERVED", "A stratus server or command is using \(directory).",
            remedy: "Stop it, move the directory away, and restore again.")
    }
}
