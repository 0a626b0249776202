import Synchronization

/// What operators see of those who wait for changes on this node.
final class HubCounts: Sendable {
    private struct State {
        var liveQueries = 0
        var polls = 0
        var overflows = 0
        var caughtUpAt: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let bytes = Atomic<Int>(0)

    /// How many live queries and live counts are open, and how many long polls wait.
    var open: (liveQueries: Int, polls: Int) { state.withLock { ($0.liveQueries, $0.polls) } }
    /// How often a receiver was too slow for the changes, since the process began.
    var overflows: Int { state.withLock { $0.overflows } }
    /// How much memory the changes take that wait for receivers: each counts once, however many it waits for.
    var waitingBytes: Int { bytes.load(ordering: .relaxed) }
    /// How long ago all of the log was handed out, in seconds; 0 while nobody receives any.
    var lagSeconds: Int64 {
        state.withLock { $0.caughtUpAt.map { ($0.duration(to: .now)).components.seconds } ?? 0 }
    }

    func note(liveQueries: Int, polls: Int) {
        state.withLock { ($0.liveQueries, $0.polls) = (liveQueries, polls) }
    }

    func noteOverflow() { state.withLock { $0.overflows += 1 } }

    /// Notes that all of the log is handed out; false where nobody receives any more.
    func note(isFollowing: Bool) { state.withLock { $0.caughtUpAt = isFollowing ? .now : nil } }

    /// Notes that a change takes memory, or less of it.
    func note(bytes count: Int) { bytes.add(count, ordering: .relaxed) }
}

extension RecordService {
    /// How many live queries and live counts are open at this node, and how many long polls wait.
    public var openReceivers: (liveQueries: Int, polls: Int) { hub.counts.open }

    /// How often a receiver of this node was too slow for the changes, since the process began: a live query is told that
    /// it is behind, the others read the log.
    public var receiverOverflows: Int { hub.counts.overflows }

    /// How many bytes of changes wait for receivers of this node.
    public var waitingChangeBytes: Int { hub.counts.waitingBytes }

    /// How long ago this node had handed out all changes, in seconds; 0 while nobody receives any.
    public var changeLagSeconds: Int64 { hub.counts.lagSeconds }
}
