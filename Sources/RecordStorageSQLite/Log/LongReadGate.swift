import Dispatch
import SQLiteAccess
import Synchronization

/// Holds new long reads back for a moment, so that those under way come to their end and the log can start over.
///
/// The log starts over only while nobody reads from it. A few clients whose long reads overlap would never leave such a
/// moment: the log would grow until writes have to wait for it, and work in the background would stop. A gate that is
/// closed for ``longest`` makes the moment, as long as reads do not take longer than that; those that do are left to
/// `SnapshotHolders.stop`. After a vain attempt it stays open for ``pause``, so that long reads are delayed little.
final class LongReadGate: Sendable {
    private struct State {
        /// When it opens by itself; nil while it is open.
        var end: ContinuousClock.Instant?
        /// Before this it is not closed again.
        var mayCloseFrom = ContinuousClock.now
        var waiting = 0
    }

    /// How long it is closed at most.
    static let longest = Duration.seconds(1)
    /// How long it stays open after it was closed in vain.
    static let pause = Duration.seconds(1)
    /// How often a read that waits checks whether its client is still there, in milliseconds.
    private static let lookMilliseconds = 20

    private let state = Mutex(State())
    private let opened = DispatchSemaphore(value: 0)

    /// Whether new long reads wait.
    var isClosed: Bool { state.withLock { Self.isClosed(&$0) } }

    /// Lets no further long read begin, unless this was tried in vain a moment ago.
    func close() {
        let now = ContinuousClock.now
        state.withLock { state in
            guard !Self.isClosed(&state), now >= state.mayCloseFrom else { return }
            state.end = now + Self.longest
            state.mayCloseFrom = now + Self.longest + Self.pause
        }
    }

    /// Lets those in who wait: the log has started over.
    func open() {
        let waiting = state.withLock { state in
            state.end = nil
            state.mayCloseFrom = .now
            return state.waiting
        }
        for _ in 0..<waiting { opened.signal() }
    }

    /// Waits until the gate is open or the read has to end, which it finds out itself. For threads that may wait.
    func pass(_ deadline: Deadline) {
        guard isClosed else { return }
        state.withLock { $0.waiting += 1 }
        while isClosed, !deadline.isOver {
            // A signal that somebody else was meant to have makes for one more look.
            _ = opened.wait(timeout: .now() + .milliseconds(Self.lookMilliseconds))
        }
        state.withLock { state in
            state.waiting -= 1
            assert(state.waiting >= 0, "who leaves has come")
        }
    }

    private static func isClosed(_ state: inout State) -> Bool {
        guard let end = state.end else { return false }
        if ContinuousClock.now >= end { state.end = nil }
        return state.end != nil
    }
}
