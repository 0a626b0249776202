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
            remedy: "See that this user may read the data directory and write the folder of backups.")
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
            remedy: "Use an older backup, and look at the disk of this one.")
    }

    static func unverified(_ path: String, _ problems: [String]) -> BackupError {
        BackupError(
            "BACKUP_UNVERIFIED",
            "The copy did not pass its verification, so it was not kept: \(problems.prefix(3).joined(separator: " "))",
            remedy:
                "Run 'stratus doctor' on the data directory; if that is green, look at the disk of \(path).")
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
