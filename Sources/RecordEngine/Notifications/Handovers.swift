import Synchronization

/// The notifications that were given to a connection and have not left yet, counted by receiver.
///
/// A client may have a whole answer, and ask for the next over another connection, before this side learns that the last byte
/// went. So the next poll of a receiver waits here until it is known what became of the one before: told again, it would come twice;
/// passed over, perhaps never.
final class Handovers: Sendable {
    private struct State {
        var underWay: [[UInt8]: Int] = [:]
        var waiters: [[UInt8]: [CheckedContinuation<Void, Never>]] = [:]
        var hasStopped = false
    }

    private let state = Mutex(State())

    /// How many polls wait.
    var waiting: Int { state.withLock { $0.waiters.values.reduce(0) { $0 + $1.count } } }

    /// Notes that a receiver's notification is given to a connection.
    ///
    /// - Returns: what ends it, at the latest when nobody holds it any more.
    func begin(_ digest: [UInt8]) -> Handover {
        state.withLock { $0.underWay[digest, default: 0] += 1 }
        return Handover(self, digest)
    }

    fileprivate func end(_ digest: [UInt8]) {
        state.withLock { state in
            let left = (state.underWay[digest] ?? 0) - 1
            assert(left >= 0, "A handover ends once.")
            state.underWay[digest] = left > 0 ? left : nil
        }
        wake(digest)
    }

    /// Returns when no notification of a receiver is under way any more, or at the end of patience, or when the task is cancelled.
    func wait(for digest: [UInt8], until end: ContinuousClock.Instant) async {
        guard isUnderWay(digest) else { return }
        let clock = Task { [weak self] in
            // One that was cancelled wakes nobody who has to go on waiting: whoever waits looks again.
            try? await Task.sleep(until: end, clock: .continuous)
            self?.wake(digest)
        }
        defer { clock.cancel() }
        while isUnderWay(digest), ContinuousClock.now < end, !Task.isCancelled {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isWaiting = state.withLock { state in
                        guard state.underWay[digest] != nil, !state.hasStopped, !Task.isCancelled,
                            ContinuousClock.now < end
                        else { return false }
                        state.waiters[digest, default: []].append(continuation)
                        return true
                    }
                    if !isWaiting { continuation.resume() }
                }
            } onCancel: {
                wake(digest)
            }
        }
    }

    /// Lets nobody wait any more: the server stops.
    func stop() {
        let all = state.withLock { state in
            state.hasStopped = true
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in all.values.joined() { waiter.resume() }
    }

    private func isUnderWay(_ digest: [UInt8]) -> Bool {
        state.withLock { $0.underWay[digest] != nil && !$0.hasStopped }
    }

    private func wake(_ digest: [UInt8]) {
        let waiters = state.withLock { $0.waiters.removeValue(forKey: digest) ?? [] }
        for waiter in waiters { waiter.resume() }
    }
}

/// Is held by a notification that is on its way. Where nobody holds it any more, its connection broke.
final class Handover: Sendable {
    private let all: Handovers
    private let digest: [UInt8]
    private let isOver = Atomic(false)

    fileprivate init(_ all: Handovers, _ digest: [UInt8]) {
        self.all = all
        self.digest = digest
    }

    deinit { end() }

    /// Notes that what becomes of the notification is known; the first time counts.
    func end() {
        guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
        all.end(digest)
    }
}
