internal import Dispatch
internal import RecordModel
internal import Synchronization

/// Places for reads, given to parties in turns: those who wait for one, until when, and what ends their waiting.
package final class FairReadQueue: Sendable {
    private struct Waiter {
        var continuation: CheckedContinuation<Void, any Error>
        /// When it has waited for long enough, in nanoseconds of `DispatchTime`.
        var end: UInt64
    }

    private struct State {
        var turns: FairQueue<Waiter>
        var isClosed = false
        /// Whether somebody will look for those who have waited for long enough.
        var isTimed = false
        var lastID: UInt64 = 0
    }

    private let state: Mutex<State>
    private let timer = DispatchQueue(label: "stratus-waiting-reads")

    /// Makes places, all of them free.
    ///
    /// - Parameters:
    ///   - places: how many there are.
    ///   - isShared: whether parties are kept from taking all of them.
    ///   - mostWaiting: how many may wait at once.
    ///   - mostWaitingPerParty: how many of one party.
    package init(places: Int, isShared: Bool, mostWaiting: Int, mostWaitingPerParty: Int) {
        state = Mutex(
            State(
                turns: FairQueue(
                    places: places, isShared: isShared, mostWaiting: mostWaiting,
                    mostWaitingPerParty: mostWaitingPerParty)))
    }

    /// Takes a place, when it is the party's turn. Who has it gives it back with ``give(by:)``.
    ///
    /// - Parameters:
    ///   - party: who reads.
    ///   - end: until when to wait, in nanoseconds of `DispatchTime`.
    /// - Throws: `StorageError`; `CancellationError` as soon as the task is cancelled.
    package func take(for party: ReadParty, until end: UInt64) async throws {
        if try state.withLock({ try Self.takes(party, &$0) }) { return }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(Waiter(continuation: continuation, end: end), id, party)
            }
        } onCancel: {
            state.withLock { $0.turns.leave(id: id, party) }?.continuation.resume(
                throwing: CancellationError())
        }
    }

    private static func takes(_ party: ReadParty, _ state: inout State) throws -> Bool {
        if state.isClosed { throw StorageError.closed }
        return state.turns.take(party)
    }

    private func wait(_ waiter: Waiter, _ id: UInt64, _ party: ReadParty) {
        let (now, isToBeTimed) = state.withLock { state -> (Result<Void, any Error>?, Bool) in
            do {
                // Who was cancelled before has nobody left to take it out.
                try Task.checkCancellation()
                if try Self.takes(party, &state) { return (.success(()), false) }
                guard state.turns.wait(waiter, id: id, party) else { throw StorageError.tooManyReads }
            } catch {
                return (.failure(error), false)
            }
            defer { state.isTimed = true }
            return (nil, !state.isTimed)
        }
        if let now { waiter.continuation.resume(with: now) }
        if isToBeTimed { look(at: waiter.end) }
    }

    /// How many places are taken.
    package var taken: Int { state.withLock { $0.turns.places - $0.turns.free } }

    /// Gives a place back, to whoever is next.
    package func give(by party: ReadParty) {
        for waiter in state.withLock({ $0.turns.give(by: party) }) { waiter.continuation.resume() }
    }

    /// Ends the waiting of those whose time is over, now and as long as anybody waits.
    private func look(at time: UInt64) {
        timer.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: time)) { [weak self] in
            guard let self else { return }
            let now = DispatchTime.now().uptimeNanoseconds
            let (late, next) = state.withLock { state in
                let late = state.turns.removeAll { $0.end <= now }
                let next = state.turns.foremost.map(\.end).min()
                state.isTimed = next != nil
                return (late, next)
            }
            for waiter in late {
                waiter.continuation.resume(throwing: StorageError.waited(seconds: Limits.querySeconds))
            }
            if let next { look(at: next) }
        }
    }

    /// Ends the waiting of all, and gives no more places.
    package func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            return state.turns.removeAll { _ in true }
        }
        for waiter in waiting { waiter.continuation.resume(throwing: StorageError.closed) }
    }
}
