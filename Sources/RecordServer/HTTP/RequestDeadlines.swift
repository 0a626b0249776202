import Dispatch
import NIOCore
import RecordModel
import Synchronization

/// Ends connections whose client takes too long to send a body, so that slow senders cannot use them up.
///
/// One task looks once a second at all of them; a timer for each request would cost more than reading it.
final class RequestDeadlines: Sendable {
    private struct Waiting {
        var channel: any Channel
        var until: UInt64
    }

    private struct State {
        var next: UInt64 = 0
        var waiting: [UInt64: Waiting] = [:]
    }

    private let state = Mutex(State())

    /// Notes that a body is being read from a connection; the number ends it.
    func begin(_ channel: any Channel) -> UInt64 {
        let until = DispatchTime.now().uptimeNanoseconds + UInt64(Limits.requestReadSeconds) * 1_000_000_000
        return state.withLock { state in
            state.next += 1
            state.waiting[state.next] = Waiting(channel: channel, until: until)
            return state.next
        }
    }

    /// Notes that the body is there.
    func end(_ number: UInt64) {
        state.withLock { _ = $0.waiting.removeValue(forKey: number) }
    }

    /// Closes what is late, until the task is cancelled.
    func watch() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
            let now = DispatchTime.now().uptimeNanoseconds
            let late = state.withLock { state in state.waiting.values.filter { $0.until < now } }
            for waiting in late { waiting.channel.close(promise: nil) }
        }
    }
}
