import RecordModel

/// From which sizes of the write-ahead log what is done about it.
///
/// The log can start over only when all of it is in the database file and no reader needs it any more. What a commit writes
/// is bounded, so that ``stop`` and a commit stay within `Limits.logBytes` (``longest``).
struct LogBounds: Sendable {
    /// From here a thread of its own moves pages into the database file, beside writers and readers.
    var move = 8 << 20
    /// From here the writing thread lets the log start over, at a moment when that costs little.
    var restart = 12 << 20
    /// From here new long reads are held back for moments, so that the log can start over before anybody waits for it.
    var gather = 16 << 20
    /// From here commits wait a little for the readers that hold the log, and readers that had their time are stopped.
    var slow = 20 << 20
    /// From here no commit begins while a reader of this process holds the log; the reader is stopped.
    var stop = 28 << 20
    /// From here no commit begins at all, although it is another process that holds the log: a backup, say.
    var stopBesideOthers = 1 << 30

    /// How long the log may become while no other process holds it.
    ///
    /// It is what it had before the last commit and what that commit adds: a request that is not large after others, whose
    /// pages are in the cache or in the log already, or a large one that began the commit. Each may make the service write
    /// more than it sent. The indexes of long texts are not counted.
    var longest: Int {
        let others = Connections.writerCacheKiB << 10 + Self.commitBytes
        return stop + max(others + Self.largeRequestBytes, Limits.requestBodyBytes)
            + Limits.requestWriteBytes
    }

    /// The size that the file keeps from one beginning to the next: its blocks need not be found again.
    static let keptBytes = 16 << 20
    /// A larger file is cut when nothing has been written for ``idle``.
    static let idleBytes = 1 << 20
    /// How long nothing is written before the log is emptied.
    static let idle = Duration.seconds(5)
    /// How much a commit writes before it takes no further request.
    static let commitBytes = 4 << 20
    /// A request that sent more begins a commit, and does not come after others in one.
    static let largeRequestBytes = 1 << 20
    /// How much a commit's writes give back, held until it is on the disk, before it takes no further request.
    static let commitHeldBytes = 4 << 20
    /// The part of the log that the writing thread moves itself without anybody noticing.
    static let leftToMove = 1 << 20
    /// How long a read may go on that holds a log of ``slow`` bytes.
    static let readerTime = Duration.seconds(2)
    /// Shorter reads are waited for, not stopped.
    static let shortestStopped = Duration.milliseconds(50)
    /// How long a commit waits for readers from ``slow`` on.
    static let pause = Duration.milliseconds(20)
    /// How long the writing thread waits for short readers when the log starts over, in milliseconds.
    static let restartMilliseconds: Int32 = 15
    /// How long readers that were stopped may take to notice before others are suspected.
    static let noticeTime = Duration.milliseconds(500)
    /// How long others are suspected before readers of this process are stopped again to find out.
    static let suspicionTime = Duration.seconds(10)
    /// How often the beginning is tried while somebody holds the log.
    static let retry = Duration.milliseconds(50)

    /// The bounds of a store that keeps so much room on its disk for the log to be moved: all of it has to fit.
    init(reservedBytes: Int? = nil) {
        guard let reservedBytes, reservedBytes < stop else { return }
        let bytes = max(reservedBytes, 1 << 20)
        move = bytes / 4
        restart = bytes / 3
        gather = bytes * 5 / 12
        slow = bytes / 2
        stop = bytes * 3 / 4
    }
}
