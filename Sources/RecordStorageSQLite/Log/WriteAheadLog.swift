import CStratusSQLite
import Foundation
import RecordStorage
import SQLiteAccess
import Synchronization

/// The write-ahead log of a store, kept below `Limits.logBytes` whatever writers and readers do.
///
/// A log grows without end where commits follow each other: SQLite restarts it only when everything in it has been
/// moved into the database file and nobody reads from it, and there is no such moment by itself. So a thread moves most
/// of it beside the writers (``move(_:_:)``), and the writing thread, between two commits, moves the rest and waits a few
/// milliseconds for the readers (``makeRoom(_:)``).
final class WriteAheadLog: Sendable {
    /// What came of an attempt.
    private enum Outcome {
        case done, held, failed
    }

    private struct State {
        var bounds: LogBounds
        var lastAttempt: ContinuousClock.Instant?
        /// When it was found that somebody holds the log who is no reader of this process.
        var othersSince: ContinuousClock.Instant?
        var searches = 0
        var restarts = 0
        var failures = 0
    }

    /// Those who read.
    let readers = SnapshotHolders()
    /// Where long reads pass before they begin.
    let gate = LongReadGate()
    /// Signalled when there is something to move.
    let wake = DispatchSemaphore(value: 0)

    /// Whether it is copied for an archive: then it is restarted by writing over it, never cut, so that the writing thread, which
    /// copies, comes first.
    let isArchived = Atomic<Bool>(false)
    /// Whether a server beside this process looks after it.
    let isOthers: Bool
    /// Copies what is in it for an archive. Called whenever pages were moved: what another process has committed is overwritten by
    /// the next commit from then on.
    let copier = Mutex<(@Sendable () -> Void)?>(nil)

    /// What a page takes in it.
    let frameBytes: Int

    private let path: String
    private let condition: StoreCondition
    private let frames = Atomic<Int>(0)
    private let movedFrames = Atomic<Int>(0)
    private let lastWasFull = Atomic<Bool>(false)
    private let lastCommit = Mutex(ContinuousClock.now)
    private let state: Mutex<State>
    /// Held by whoever moves pages: SQLite refuses a second one at once.
    private let moving = Mutex(())

    /// The log of an open database.
    ///
    /// - Parameters:
    ///   - connection: the writer's, which counts what each commit adds.
    ///   - isOthers: whether a server looks after it, which archives it.
    init(
        path: String, connection: Connection, condition: StoreCondition, bounds: LogBounds,
        isOthers: Bool = false
    ) throws {
        self.isOthers = isOthers
        self.path = path + "-wal"
        self.condition = condition
        frameBytes = Int(try connection.int("PRAGMA page_size")) + WalFrame.headerBytes
        state = Mutex(State(bounds: bounds))
        frames.store(fileBytes / frameBytes, ordering: .relaxed)
        _ = try connection.int("PRAGMA journal_size_limit = \(LogBounds.keptBytes)")
        // The hook is the connection's, and the connection is closed before this object goes. It gives no code back,
        // only what was set before: nothing.
        _ = sqlite3_wal_hook(
            connection.handle,
            { context, _, _, count in
                guard let context else { return SQLITE_OK }
                Unmanaged<WriteAheadLog>.fromOpaque(context).takeUnretainedValue().note(Int(count))
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// How many bytes of the log are in use.
    var bytes: Int { frames.load(ordering: .relaxed) * frameBytes }

    /// Whether work that can wait had better not add to it: it is about to start over, or commits wait for it already.
    var isFull: Bool { gate.isClosed || bytes >= state.withLock { $0.bounds.slow } }

    /// The size of the log's file.
    var fileBytes: Int {
        var info = stat()
        // Without the file there is nothing to move; SQLite itself tells of one that cannot be read.
        return stat(path, &info) == 0 ? Int(info.st_size) : 0
    }

    /// Other bounds, for a disk that has less room.
    func set(_ bounds: LogBounds) { state.withLock { $0.bounds = bounds } }

    /// How often it started over, how many attempts failed, how many readers were stopped for it.
    var figures: (restarts: Int, failures: Int, stopped: Int) {
        let (restarts, failures) = state.withLock { ($0.restarts, $0.failures) }
        return (restarts, failures, readers.stoppedCount)
    }

    private func note(_ count: Int) {
        frames.store(count, ordering: .relaxed)
        lastCommit.withLock { $0 = .now }
        if count * frameBytes >= state.withLock({ $0.bounds.move }) { wake.signal() }
    }

    // MARK: By the writing thread

    /// Lets the log start over where it is time to, between two commits; waits where it has grown too far.
    ///
    /// - Throws: `StorageError.busy` where another process keeps the log from starting over for so long that no more
    ///   may be written.
    func makeRoom(_ connection: Connection) throws {
        let bounds = state.withLock { $0.bounds }
        guard bytes >= bounds.restart, condition.isDiskSound, !isOthers else { return }
        if bytes >= bounds.gather { gate.close() }
        guard bytes >= bounds.slow else { return restartInPassing(connection) }
        if suspectsOthers {
            // Whoever it is does not notice that writers wait, so they do not.
            if isDue, moving.withLock({ _ in restart(connection) }) != .held { return }
            return try refuseBesideOthers(bounds)
        }
        let start = ContinuousClock.now
        while moving.withLock({ _ in restart(connection) }) == .held {
            guard bytes >= bounds.stop else {
                readers.stop(olderThan: LogBounds.readerTime)
                return Self.sleep(LogBounds.pause)
            }
            readers.stop(olderThan: LogBounds.shortestStopped)
            if ContinuousClock.now - start > LogBounds.noticeTime {
                state.withLock { state in
                    state.othersSince = .now
                    state.searches += 1
                }
                return try refuseBesideOthers(bounds)
            }
            Self.sleep(.milliseconds(2))
        }
    }

    /// Lets the log start over where nobody would have to wait for that. Has it moved where there is too much to move.
    func restartInPassing(_ connection: Connection) {
        guard bytes >= state.withLock({ $0.bounds.restart }), condition.isDiskSound else { return }
        let left = (frames.load(ordering: .relaxed) - movedFrames.load(ordering: .relaxed)) * frameBytes
        guard left <= LogBounds.leftToMove else { return _ = wake.signal() }
        guard isDue, !readers.hasAny(olderThan: LogBounds.shortestStopped) else { return }
        _ = moving.withLockIfAvailable { _ in restart(connection) }
    }

    /// Whether another process was found to hold the log a short while ago. Later it may be readers of this process again,
    /// which can be stopped.
    private var suspectsOthers: Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            guard let since = state.othersSince else { return false }
            if now - since < LogBounds.suspicionTime { return true }
            state.othersSince = nil
            return false
        }
    }

    /// How often the writing thread had to find out whether it is another process that holds the log.
    var searches: Int { state.withLock { $0.searches } }

    /// Whether enough time has passed since the last attempt.
    private var isDue: Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            if let last = state.lastAttempt, now - last < LogBounds.retry { return false }
            state.lastAttempt = now
            return true
        }
    }

    private func refuseBesideOthers(_ bounds: LogBounds) throws {
        condition.report("log", "Another process holds the write-ahead log, which has \(bytes) bytes.")
        if bytes >= bounds.stopBesideOthers { throw StorageError.busy }
    }

    private func restart(_ connection: Connection) -> Outcome {
        let outcome = checkpoint(
            connection, SQLITE_CHECKPOINT_RESTART, milliseconds: LogBounds.restartMilliseconds)
        guard outcome == .done else { return outcome }
        frames.store(0, ordering: .relaxed)
        movedFrames.store(0, ordering: .relaxed)
        state.withLock { state in
            state.restarts += 1
            state.othersSince = nil
        }
        gate.open()
        return .done
    }

    private static func sleep(_ duration: Duration) {
        Thread.sleep(forTimeInterval: duration / .seconds(1))
    }

    // MARK: By the thread that moves

    /// Moves what can be moved into the database file, beside writers and readers.
    func move(_ connection: Connection) {
        guard bytes >= state.withLock({ $0.bounds.move }), condition.isDiskSound, !isOthers else { return }
        moving.withLock { _ in _ = checkpoint(connection, SQLITE_CHECKPOINT_PASSIVE, milliseconds: 0) }
    }

    /// Whether nothing has been written for a while, and the file is larger than it need be.
    var isIdle: Bool {
        fileBytes > LogBounds.idleBytes && condition.isDiskSound && !isOthers
            && (bytes > 0 || !isArchived.load(ordering: .relaxed))
            && ContinuousClock.now - lastCommit.withLock({ $0 }) >= LogBounds.idle
    }

    /// Moves everything and cuts the file to nothing.
    ///
    /// - Returns: whether that was done; not where somebody reads from the log, or the disk refuses.
    @discardableResult
    func empty(_ connection: Connection) -> Bool {
        moving.withLock { _ in
            guard condition.isDiskSound,
                checkpoint(
                    connection,
                    isArchived.load(ordering: .relaxed)
                        ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_TRUNCATE, milliseconds: 50) == .done
            else { return false }
            frames.store(0, ordering: .relaxed)
            movedFrames.store(0, ordering: .relaxed)
            return true
        }
    }

    /// Whether the last attempt failed for want of room.
    var wasFull: Bool { lastWasFull.load(ordering: .relaxed) }

    // MARK: Both

    /// - Precondition: the caller holds ``moving``.
    private func checkpoint(_ connection: Connection, _ mode: Int32, milliseconds: Int32) -> Outcome {
        assert(!connection.isInTransaction, "a checkpoint is made between transactions")
        var inLog: Int32 = -1
        var done: Int32 = -1
        // Waiting can be set at any time; SQLite refuses it only for a handle that is none.
        let waits = sqlite3_busy_timeout(connection.handle, milliseconds)
        let code = sqlite3_wal_checkpoint_v2(connection.handle, nil, mode, &inLog, &done)
        let waitsAgain = sqlite3_busy_timeout(connection.handle, Int32(Connection.busySeconds * 1_000))
        assert(waits == SQLITE_OK && waitsAgain == SQLITE_OK)
        copier.withLock(\.self)?()
        lastWasFull.store(false, ordering: .relaxed)
        if inLog >= 0, done >= 0 {
            assert(done <= inLog, "no more is moved than there is")
            movedFrames.store(Int(done), ordering: .relaxed)
        }
        switch code {
        case SQLITE_OK: return .done
        case SQLITE_BUSY, SQLITE_LOCKED: return .held
        default:
            state.withLock { $0.failures += 1 }
            let error = StorageError(SQLiteFailure(code: code))
            lastWasFull.store(error.isFull, ordering: .relaxed)
            condition.noteFailedCheckpoint(error)
            return .failed
        }
    }
}
