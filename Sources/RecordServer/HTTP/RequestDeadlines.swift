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
        /// The end that nothing moves.
        var last: UInt64
    }

    private struct State {
        var next: UInt64 = 0
        var waiting: [UInt64: Waiting] = [:]
    }

    private let state = Mutex(State())

    /// Notes that a body is on its way over a connection; the number ends it.
    ///
    /// - Parameters:
    ///   - seconds: how long it may take, unless ``extend(_:seconds:)`` gives it more.
    ///   - totalSeconds: how long it may take in all.
    func begin(_ channel: any Channel, seconds: Int, totalSeconds: Int?) -> UInt64 {
        let until = Self.time(in: seconds)
        let last = totalSeconds.map(Self.time) ?? .max
        return state.withLock { state in
            state.next += 1
            state.waiting[state.next] = Waiting(channel: channel, until: min(until, last), last: last)
            return state.next
        }
    }

    /// Notes that something of the body moved.
    func extend(_ number: UInt64, seconds: Int) {
        let until = Self.time(in: seconds)
        state.withLock { state in
            guard let last = state.waiting[number]?.last else { return }
            state.waiting[number]?.until = min(until, last)
        }
    }

    private static func time(in seconds: Int) -> UInt64 {
        DispatchTime.now().uptimeNanoseconds + UInt64(seconds) * 1_000_000_000
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
