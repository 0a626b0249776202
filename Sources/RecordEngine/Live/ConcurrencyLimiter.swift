import DequeModule
import Synchronization

/// Lets only so many at once do what all want to do at the same moment; the others wait, in order.
///
/// Live queries look at their rights again when the clock says so, which it says to all of them: together they would need
/// the memory of so many requests.
final class ConcurrencyLimiter: Sendable {
    private struct State {
        var free: Int
        var waiting: Deque<CheckedContinuation<Void, Never>> = []
    }

    private let state: Mutex<State>

    /// - Parameter width: how many at once; above 0.
    init(width: Int) { state = Mutex(State(free: width)) }

    /// Waits for a turn, which ends with ``leave()``. It is short, so nobody gives up waiting.
    func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    /// Gives the turn to who waited for longest.
    func leave() {
        let next = state.withLock { state in
            guard let next = state.waiting.popFirst() else {
                state.free += 1
                return nil as CheckedContinuation<Void, Never>?
            }
            return next
        }
        next?.resume()
    }
}
