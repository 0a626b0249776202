import DequeModule
import RecordEngine
import RecordModel
import Synchronization

/// A number of bytes that requests share. Who finds too little left waits in line, for a while.
final class ByteBudget: Sendable {
    private struct Waiter {
        var number: UInt64
        var room: Int
        var taking: Int
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var used = 0
        var next: UInt64 = 0
        var waiters: Deque<Waiter> = []
        /// Those that were cancelled before they stood in line.
        var cancelled: Set<UInt64> = []
    }

    let capacity: Int
    private let patience: Duration
    private let state = Mutex(State())

    /// - Parameter patience: how long one waits before it is told to try again.
    init(capacity: Int, patience: Duration = .seconds(Limits.roomSeconds)) {
        self.capacity = capacity
        self.patience = patience
    }

    /// The bytes that are taken.
    var used: Int { state.withLock { $0.used } }

    /// How many wait.
    var waiting: Int { state.withLock { $0.waiters.count } }

    /// Waits until there is room, and takes some of it.
    ///
    /// What is larger than all of the budget waits until nothing else is taken.
    /// - Parameters:
    ///   - room: how much has to be free.
    ///   - taking: how much of it is taken; give it back by ``give(_:)``.
    /// - Throws: `TRY_AGAIN_LATER` when there was none for too long; `CancellationError`.
    func enter(room: Int, taking: Int) async throws {
        assert(room >= taking && taking >= 0)
        let isIn = state.withLock { state in
            guard state.waiters.isEmpty, fits(room, state.used) else { return false }
            state.used += taking
            return true
        }
        if !isIn { try await wait(room: room, taking: taking) }
    }

    /// Takes bytes that are there already, whether there is room for them or not.
    func add(_ bytes: Int) { state.withLock { $0.used += bytes } }

    /// Gives bytes back, and lets in who waits for them.
    func give(_ bytes: Int) {
        let entering = state.withLock { state in
            state.used -= bytes
            assert(state.used >= 0, "more was given back than taken")
            return takeFitting(&state)
        }
        for waiter in entering { waiter.continuation.resume(returning: true) }
    }

    private func fits(_ room: Int, _ used: Int) -> Bool { used == 0 || used + max(1, room) <= capacity }

    private func takeFitting(_ state: inout State) -> [Waiter] {
        var entering: [Waiter] = []
        // Those that only need room count until they have taken some, or all of them would come in at once.
        var promised = 0
        while let first = state.waiters.first, fits(first.room, state.used + promised) {
            state.waiters.removeFirst()
            state.used += first.taking
            promised += first.room - first.taking
            entering.append(first)
        }
        return entering
    }

    private func wait(room: Int, taking: Int) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        let patience = patience
        let alarm = Task { [weak self] in
            try await Task.sleep(for: patience)
            self?.sendAway(number)
        }
        defer { alarm.cancel() }
        let isIn = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(number: number, room: room, taking: taking, continuation: continuation)
                let (isGone, entering) = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return (true, [Waiter]()) }
                    state.waiters.append(waiter)
                    // What was given back in between woke nobody.
                    return (false, takeFitting(&state))
                }
                if isGone { continuation.resume(returning: false) }
                for waiter in entering { waiter.continuation.resume(returning: true) }
            }
        } onCancel: {
            sendAway(number, remembering: true)
        }
        state.withLock { _ = $0.cancelled.remove(number) }
        guard !isIn else { return }
        try Task.checkCancellation()
        throw ServiceError.noRoom
    }

    private func sendAway(_ number: UInt64, remembering: Bool = false) {
        let (leaver, entering) = state.withLock { state -> (Waiter?, [Waiter]) in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
                if remembering { state.cancelled.insert(number) }
                return (nil, [])
            }
            let leaver = state.waiters.remove(at: index)
            // Who stood after a large one may fit.
            return (leaver, takeFitting(&state))
        }
        leaver?.continuation.resume(returning: false)
        for waiter in entering { waiter.continuation.resume(returning: true) }
    }
}
