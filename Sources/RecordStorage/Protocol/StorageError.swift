/// Why a store could not do its work.
public struct StorageError: Error, Sendable, CustomStringConvertible {
    private enum Kind: String {
        case busy = "STORAGE_BUSY"
        case closed = "STORAGE_CLOSED"
        case corrupt = "STORAGE_CORRUPT"
        case engine = "STORAGE_ENGINE"
        case foreign = "STORAGE_FOREIGN"
        case full = "STORAGE_FULL"
        case gaveWay = "STORAGE_GAVE_WAY"
        case locked = "STORAGE_LOCKED"
        case readOnly = "STORAGE_READ_ONLY"
        case notEmpty = "STORAGE_NOT_EMPTY"
        case timeout = "STORAGE_TIMEOUT"
        case tooWide = "STORAGE_TOO_WIDE"
        case unfinishedCopy = "STORAGE_UNFINISHED_COPY"
        case unknown = "STORAGE_OUTCOME_UNKNOWN"
        case unknownCursor = "STORAGE_UNKNOWN_CURSOR"
        case unreachable = "STORAGE_UNREACHABLE"
        case usedUp = "STORAGE_USED_UP"
        case version = "STORAGE_VERSION"
    }

    private let kind: Kind
    /// What happened, in a sentence for the operator.
    public let message: String
    /// What to do about it.
    public let remedy: String
    /// What lies beneath.
    public let cause: (any Error)?

    private init(_ kind: Kind, _ message: String, remedy: String, cause: (any Error)? = nil) {
        self.kind = kind
        self.message = message
        self.remedy = remedy
        self.cause = cause
    }

    /// More writes wait to be stored than the store lets wait.
    public static let busy = StorageError(
        .busy, "Too many writes wait to be stored.", remedy: "Try again in a second.")

    /// Another node has had the lock of a file for longer than it should.
    public static func held(path: String) -> StorageError {
        StorageError(
            .busy, "Another server that shares the files has \(path) locked.",
            remedy: "Try again in a second.")
    }

    /// The store was closed.
    public static let closed = StorageError(
        .closed, "The store is closed.", remedy: "The service is stopping; try again when it is back.")

    /// More long reads wait for their turn than the store lets wait.
    public static let tooManyReads = StorageError(
        .busy, "Too many long queries wait for their turn.",
        remedy: "Try again in a second, or ask for what an index can answer.")

    /// A long read waited for as long as it may take.
    public static func waited(seconds: Int) -> StorageError {
        StorageError(
            .timeout, "The query waited \(seconds) seconds for others that take long.",
            remedy: "Try again, or ask for a query that an index can answer.")
    }

    /// A read took longer than it may.
    public static func timeout(seconds: Int) -> StorageError {
        StorageError(
            .timeout, "The query ran for more than \(seconds) seconds.",
            remedy: "Ask for a query that an index can answer.")
    }

    /// The disk failed before.
    public static func readOnly(reason: String) -> StorageError {
        StorageError(
            .readOnly, "The disk failed, so writes are refused: \(reason)",
            remedy: "Repair the disk and restart the service; it recovers by itself.")
    }

    /// Another process uses the files.
    public static func locked(path: String) -> StorageError {
        StorageError(
            .locked, "Another stratus server is using \(path).",
            remedy: "Stop it, or start this one with another --data directory.")
    }

    /// The store is being copied, so no server may use it.
    public static func beingCopied(_ store: String) -> StorageError {
        StorageError(
            .locked, "\(store) is being copied by 'stratus copy-store'.",
            remedy: "Wait until the copy is made, or stop it.")
    }

    /// Servers use a store that somebody wants alone.
    public static func inUse(_ store: String) -> StorageError {
        StorageError(
            .locked, "A stratus server or command is using \(store).",
            remedy: "Stop all servers that use it, on every machine, and try again.")
    }

    /// A store that a copy is to be made into has something in it.
    public static let notEmpty = StorageError(
        .notEmpty, "The store to copy into is not empty.",
        remedy: "Name a directory that does not exist yet, or a new database; nothing was changed.")

    /// A copy into the store was interrupted, or did not match.
    public static func unfinishedCopy(_ store: String) -> StorageError {
        StorageError(
            .unfinishedCopy, "\(store) holds part of a copy that was not finished.",
            remedy: "Remove it (the directory, or the database), and run 'stratus copy-store' again.")
    }

    /// There is no room on a disk.
    ///
    /// - Parameters:
    ///   - disk: which one, as the beginning of a sentence.
    ///   - cause: what the system or the engine said.
    public static func full(_ disk: String = "The disk", cause: (any Error)? = nil) -> StorageError {
        StorageError(
            .full, "\(disk) is full.", remedy: "Free some space; writes then continue by themselves.",
            cause: cause)
    }

    /// A read was ended because the view of the store that it had kept the write-ahead log from starting over.
    public static func gaveWay() -> StorageError {
        StorageError(
            .gaveWay, "The query was stopped: many writes came, and they could not wait for it.",
            remedy: "Try again; a query that an index can answer takes less time.")
    }

    /// A record, or its type, has more values that can be asked for than the engine's tables hold. PostgreSQL has 1,600
    /// columns in a table, those of removed fields among them (a location has two), and 8 kB of numbers and short texts in
    /// a row; SQLite holds as many fields as a type may have, of whatever kind.
    public static func tooWide(_ cause: any Error) -> StorageError {
        StorageError(
            .tooWide,
            "The record type has more fields with indexes than the database's tables hold.",
            remedy:
                "Take the indexes off fields that no query names, or spread the fields over several types.",
            cause: cause)
    }

    /// Whether a record or its type has more than the engine's tables hold.
    public var isTooWide: Bool { kind == .tooWide }

    /// Whether the files are damaged.
    public var isCorrupt: Bool { kind == .corrupt }

    /// Whether nobody could say what became of a write: it may be stored, or not.
    public var isOutcomeUnknown: Bool { kind == .unknown }

    /// Whether there was no room on the disk.
    public var isFull: Bool { kind == .full }

    /// The files are damaged.
    public static func corrupt(_ cause: any Error) -> StorageError {
        StorageError(
            .corrupt, "The database is damaged.", remedy: "Run 'stratus doctor'; it says what can be saved.",
            cause: cause)
    }

    /// A log is damaged, and acknowledged commits come after the damage.
    public static func damagedLog(_ path: String, commits: Int, remedy: String) -> StorageError {
        StorageError(
            .corrupt,
            "\(path) is damaged, and \(commits) commits after the damage are whole: opening the database would lose them.",
            remedy: remedy)
    }

    /// The files were written by a newer version.
    public static func tooNew(_ found: String) -> StorageError {
        StorageError(
            .version, "The database was written by a newer version of Stratus (\(found)).",
            remedy: "Start that version, or a newer one.")
    }

    /// The file is somebody else's database.
    public static func foreign(path: String) -> StorageError {
        StorageError(
            .foreign, "\(path) is a database, but not one of Stratus.",
            remedy: "Choose another data directory, or move that file away.")
    }

    /// The database server cannot be reached, or another one takes its place at the moment; nothing was written.
    public static func unreachable(_ cause: any Error) -> StorageError {
        StorageError(
            .unreachable, "The database server cannot be reached.",
            remedy: "Try again in a few seconds; start the server where it is down.", cause: cause)
    }

    /// The connection was lost while a write was made durable, and nobody could say yet whether it was.
    public static func outcomeUnknown(_ cause: any Error) -> StorageError {
        StorageError(
            .unknown, "It is not known whether the write was stored.",
            remedy: "Read what it would have changed before writing again.", cause: cause)
    }

    /// A scan was to go on where no engine of this version, or of another scan, ever stood.
    public static let unknownCursor = StorageError(
        .unknownCursor, "The place to go on from belongs to another query.",
        remedy: "Start again without it.")

    /// Whether a scan was to go on where none ever stood.
    public var isUnknownCursor: Bool { kind == .unknownCursor }

    /// There are no more numbers for something that has one of its own for ever.
    public static func usedUp(_ things: String) -> StorageError {
        StorageError(
            .usedUp, "All of the numbers for \(things) are used up.",
            remedy: "Move what is needed into a new store: stratus export, then stratus import.")
    }

    /// The engine failed in another way.
    public static func engine(_ message: String, _ cause: (any Error)? = nil) -> StorageError {
        StorageError(.engine, message, remedy: "The log has the cause.", cause: cause)
    }

    /// The static name of this kind of error.
    public var code: String { kind.rawValue }

    /// Whether the same call may succeed later without anybody doing anything.
    public var isTemporary: Bool {
        [.busy, .closed, .full, .gaveWay, .timeout, .unknown, .unreachable].contains(kind)
    }

    public var description: String {
        cause.map { "\(code): \(message) (cause: \($0))" } ?? "\(code): \(message)"
    }
}
