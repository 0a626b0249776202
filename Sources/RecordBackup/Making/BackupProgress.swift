/// A step of making, checking or restoring a backup.
public enum BackupStep: String, Sendable {
    case database = "Copying the database"
    case files = "Copying files"
    case sending = "Sending the database"
    case replaying = "Applying the log"
    case checking = "Checking the database"
    case reading = "Reading files"
    case removing = "Removing old backups"
}

/// Is told what is done, and how much of how much: pages, files, or bytes.
public typealias BackupProgress = @Sendable (_ step: BackupStep, _ done: Int, _ total: Int) -> Void
