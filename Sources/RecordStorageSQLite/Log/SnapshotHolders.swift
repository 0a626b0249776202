import RecordStorage
import SQLiteAccess
import Synchronization

/// The readers of this process that look at a moment of the store, and so keep the log from beginning anew.
final class SnapshotHolders: Sendable {
    private struct Holder {
        var connection: Connection
        var began: ContinuousClock.Instant
        var isStopped = false
    }

    private struct State {
        var holders: [Int: Holder] = [:]
        var next = 0
        var stopped = 0
    }

    private let state = Mutex(State())

    /// Notes that a connection begins to read; give the number to ``leave(_:)``.
    func enter(_ connection: Connection) -> Int {
        state.withLock { state in
            state.next += 1
            state.holders[state.next] = Holder(connection: connection, began: .now)
            return state.next
        }
    }

    /// Notes that a reader is done.
    ///
    /// - Returns: whether it was stopped.
    @discardableResult
    func leave(_ number: Int) -> Bool {
        state.withLock { state in
            let holder = state.holders.removeValue(forKey: number)
            assert(holder != nil, "a reader leaves once")
            return holder?.isStopped ?? false
        }
    }

    /// Whether a reader was stopped; asked before it leaves.
    func isStopped(_ number: Int) -> Bool { state.withLock { $0.holders[number]?.isStopped ?? false } }

    /// Ends the reads that have gone on for so long, within some tens of microseconds of SQLite's work.
    func stop(olderThan time: Duration) {
        let now = ContinuousClock.now
        state.withLock { state in
            for (number, holder) in state.holders where !holder.isStopped && now - holder.began >= time {
                // Under the lock the connection is still this reader's: it has not left.
                holder.connection.deadline.giveUp()
                state.holders[number]?.isStopped = true
                state.stopped += 1
            }
        }
    }

    /// Whether somebody has read for so long.
    func hasAny(olderThan time: Duration) -> Bool {
        let now = ContinuousClock.now
        return state.withLock { $0.holders.values.contains { now - $0.began >= time } }
    }

    /// How many reads were stopped since the store was opened.
    var stoppedCount: Int { state.withLock { $0.stopped } }
}
