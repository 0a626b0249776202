import RecordStorage
import SQLiteAccess
import Synchronization

/// The readers of this process that look at a moment of the store, and so keep the log from starting over.
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

    /// What a reader gives back when it is done.
    struct Ticket {
        fileprivate let shard: Int
        fileprivate let number: Int
    }

    /// Readers of different connections mostly meet at different locks: each read takes one twice.
    private final class Shard: Sendable {
        let state = Mutex(State())
    }

    private let shards = (0..<16).map { _ in Shard() }

    /// Notes that a connection begins to read; give the ticket to ``leave(_:)``.
    func enter(_ connection: Connection) -> Ticket {
        // The last bits of an address are the same for all.
        let shard = Int(
            bitPattern: UInt(bitPattern: ObjectIdentifier(connection).hashValue) % UInt(shards.count))
        let number = shards[shard].state.withLock { state in
            state.next += 1
            state.holders[state.next] = Holder(connection: connection, began: .now)
            return state.next
        }
        return Ticket(shard: shard, number: number)
    }

    /// Notes that a reader is done.
    ///
    /// - Returns: whether it was stopped.
    @discardableResult
    func leave(_ ticket: Ticket) -> Bool {
        shards[ticket.shard].state.withLock { state in
            let holder = state.holders.removeValue(forKey: ticket.number)
            assert(holder != nil, "a reader leaves once")
            return holder?.isStopped ?? false
        }
    }

    /// Whether a reader was stopped; asked before it leaves.
    func isStopped(_ ticket: Ticket) -> Bool {
        shards[ticket.shard].state.withLock { $0.holders[ticket.number]?.isStopped ?? false }
    }

    /// Ends the reads that have gone on for so long, within some tens of microseconds of SQLite's work.
    func stop(olderThan time: Duration) {
        let now = ContinuousClock.now
        for shard in shards {
            shard.state.withLock { state in
                for (number, holder) in state.holders where !holder.isStopped && now - holder.began >= time {
                    // Under the lock the connection is still this reader's: it has not left.
                    holder.connection.deadline.giveUp()
                    state.holders[number]?.isStopped = true
                    state.stopped += 1
                }
            }
        }
    }

    /// Whether somebody has read for so long.
    func hasAny(olderThan time: Duration) -> Bool {
        let now = ContinuousClock.now
        return shards.contains { shard in
            shard.state.withLock { $0.holders.values.contains { now - $0.began >= time } }
        }
    }

    /// How many reads were stopped since the store was opened.
    var stoppedCount: Int { shards.reduce(0) { $0 + $1.state.withLock { $0.stopped } } }
}
