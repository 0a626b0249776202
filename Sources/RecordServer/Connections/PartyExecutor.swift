import DequeModule
import Dispatch
import Synchronization

/// Where requests of one party run while it has many under way: on Swift's own threads, but on only so many at once, so
/// that the line in front of those threads stays short for everybody else.
///
/// Only what runs holds a place: a request that waits for a commit, a scan or a client holds none. After each step the
/// party stands at the end of the line again.
final class PartyExecutor: TaskExecutor {
    private struct State {
        var waiting: Deque<UnownedJob> = []
        /// How many threads take steps of this party, or will when their turn comes.
        var taking = 0
        /// How many of these have not begun.
        var inLine = 0
    }

    /// How many steps run at once.
    private let width: Int
    private let state = Mutex(State())
    /// The line that the party stands in together with everybody else.
    private let threads: DispatchQueue

    /// - Parameter threads: Unless another queue is given, the threads that Swift's own executor uses on Linux.
    init(width: Int, threads: DispatchQueue = .global(qos: .default)) {
        assert(width > 0)
        self.width = width
        self.threads = threads
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFree = state.withLock { state in
            state.waiting.append(job)
            guard state.taking < width else { return false }
            state.taking += 1
            state.inLine += 1
            return true
        }
        if isFree { standInLine() }
    }

    private func standInLine() {
        threads.async { [self] in
            let job = state.withLock { state in
                state.inLine -= 1
                return state.waiting.popFirst()
            }
            job?.runSynchronously(on: asUnownedTaskExecutor())
            let goesOn = state.withLock { state in
                // The others in line take one each.
                guard state.waiting.count > state.inLine else {
                    state.taking -= 1
                    return false
                }
                state.inLine += 1
                return true
            }
            if goesOn { standInLine() }
        }
    }
}
