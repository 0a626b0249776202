import Dispatch
import Foundation
import Synchronization

/// Threads for work that keeps a processor busy for seconds: as many as may be at work at once, so that none waits for
/// another's end.
///
/// A concurrent dispatch queue would not do: it has as many threads as the machine has cores, unless they block, and on
/// two cores two endless reads of one client would keep everybody else's waiting.
final class ReadThreads: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isStopping = false
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)
    private let count: Int

    init(_ count: Int) {
        self.count = count
        for number in 0..<count {
            let thread = Thread { [self] in work() }
            thread.name = "stratus-read-\(number)"
            thread.start()
        }
    }

    /// Runs work on one of the threads, at once where no more is at work than there are threads.
    func run(_ work: @escaping @Sendable () -> Void) {
        state.withLock { state in
            assert(!state.isStopping, "Work came after the end.")
            state.waiting.append(work)
        }
        signal.signal()
    }

    /// Ends the threads once nothing waits.
    func stop() {
        state.withLock { $0.isStopping = true }
        for _ in 0..<count { signal.signal() }
    }

    private func work() {
        while true {
            signal.wait()
            let (work, isStopping) = state.withLock { state in
                (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isStopping)
            }
            if let work { work() } else if isStopping { return }
        }
    }
}
