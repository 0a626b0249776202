import NIOCore
import Synchronization

/// Ends connections whose client takes too long to send a body or to take an answer, so that slow ones cannot use
/// them up.
///
/// One task looks once a second at all of them; a timer for each request would cost more than reading it.
final class RequestDeadlines: Sendable {
    private struct Waiting {
        var channel: any Channel
        var until: ContinuousClock.Instant
        /// The end that nothing moves; nil where there is none.
        var last: ContinuousClock.Instant?
    }

    private struct State {
        var next: UInt64 = 0
        var waiting: [UInt64: Waiting] = [:]
    }

    let limits: TransferLimits
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(
        limits: TransferLimits = .published,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.limits = limits
        self.now = now
    }

    /// Notes that a body is on its way over a connection; the number ends it.
    ///
    /// - Parameters:
    ///   - time: how long it may take, unless ``extend(_:by:)`` gives it more.
    ///   - total: how long it may take in all; nil for as long as it moves.
    func begin(_ channel: any Channel, time: Duration, total: Duration? = nil) -> UInt64 {
        let now = now()
        let last = total.map { now + $0 }
        let until = now + time
        return state.withLock { state in
            state.next += 1
            state.waiting[state.next] = Waiting(
                channel: channel, until: min(until, last ?? until), last: last)
            return state.next
        }
    }

    /// Notes that something of the body moved.
    func extend(_ number: UInt64, by time: Duration) {
        let until = now() + time
        state.withLock { state in
            guard let waiting = state.waiting[number] else { return }
            state.waiting[number]?.until = min(until, waiting.last ?? until)
        }
    }

    /// Notes that the body is there.
    func end(_ number: UInt64) {
        state.withLock { _ = $0.waiting.removeValue(forKey: number) }
    }

    /// Closes what is late, refuses what is too slow and cuts off who keeps others waiting, until the task is cancelled.
    func watch(_ bodies: BodyBudget, _ answers: OutgoingAnswers) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
            closeLate()
            bodies.refuseSlow()
            answers.cutSlow()
        }
    }

    /// Closes what is late now.
    func closeLate() {
        let now = now()
        let late = state.withLock { state in state.waiting.values.filter { $0.until < now } }
        for waiting in late { waiting.channel.close(promise: nil) }
    }
}
