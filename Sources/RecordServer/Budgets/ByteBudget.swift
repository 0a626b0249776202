import RecordEngine
import RecordModel
import RecordStorage
import Synchronization

/// A number of bytes that requests share. Who finds too little left waits in line, for a while; parties take turns there, so that
/// nobody's many requests keep others' waiting.
final class ByteBudget: Sendable {
    typealias Party = RequestShares.Party

    private struct Waiter {
        var number: UInt64
        var room: Int
        var taking: Int
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var used = 0
        var next: UInt64 = 0
        /// A line for each rank.
        var lines = Rank.allCases.map { _ in PartyQueue<Party?, Waiter>() }
        /// Those that were cancelled before they stood in line.
        var cancelled: Set<UInt64> = []
        /// When somebody was sent away last of whose party nobody else waited; nil for never.
        var refused: ContinuousClock.Instant?

        subscript(rank: Rank) -> PartyQueue<Party?, Waiter> {
            get { lines[rank.rawValue] }
            _modify { yield &lines[rank.rawValue] }
        }
    }

    /// Who comes before others, and may use more.
    enum Rank: Int, CaseIterable, Comparable {
        case last, preferred, first

        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    /// How long after a refusal a budget says that it refuses: until whoever comes then has waited as long.
    static let refusalMemory = Duration.seconds(Limits.roomSeconds)

    let capacity: Int
    /// What each rank may use, the capacity and more.
    private let capacities: [Int]
    private let patience: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - preferred: what those may use that are preferred; nil for the same.
    ///   - first: what those may use that come first; nil for the same.
    ///   - patience: how long one waits before it is told to try again.
    init(
        capacity: Int, preferred: Int? = nil, first: Int? = nil,
        patience: Duration = .seconds(Limits.roomSeconds)
    ) {
        self.capacity = capacity
        let preferred = preferred ?? capacity
        capacities = [capacity, preferred, first ?? preferred]
        self.patience = patience
        assert(capacities == capacities.sorted() && capacities.count == Rank.allCases.count)
    }

    /// What a rank may use.
    func capacity(of rank: Rank) -> Int { capacities[rank.rawValue] }

    /// The bytes that are taken.
    var used: Int { state.withLock { $0.used } }

    /// How many wait.
    var waiting: Int { state.withLock { $0.lines.reduce(0) { $0 + $1.count } } }

    /// Whether somebody was sent away of late who did not wait for its own requests.
    var isRefusing: Bool {
        let now = ContinuousClock.now
        return state.withLock { $0.refused.map { now - $0 < Self.refusalMemory } ?? false }
    }

    /// How many bytes have to be given back before one of each party that waits comes in; 0 while nobody waits.
    func missing(room: Int) -> Int {
        state.withLock { state in
            let rest = zip(state.lines, capacities).map { line, capacity in
                line.isEmpty ? 0 : state.used + line.parties * room - capacity
            }
            return min(rest.reduce(0, max), state.used)
        }
    }

    /// Waits until there is room, and takes some of it.
    ///
    /// What is larger than all of the budget waits until nothing else is taken.
    /// - Parameters:
    ///   - room: how much has to be free.
    ///   - taking: how much of it is taken; give it back by ``give(_:)``.
    ///   - party: who takes turns with others.
    ///   - rank: whom it comes before, and what it may use.
    /// - Throws: `TRY_AGAIN_LATER` when there was none for too long; `CancellationError`.
    func enter(room: Int, taking: Int, of party: Party? = nil, rank: Rank = .last) async throws {
        assert(room >= taking && taking >= 0)
        let isIn = state.withLock { state in
            guard Rank.allCases.allSatisfy({ $0 < rank || state[$0].isEmpty }), fits(room, state.used, rank)
            else { return false }
            state.used += taking
            return true
        }
        if !isIn { try await wait(room: room, taking: taking, of: party, rank) }
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

    private func fits(_ room: Int, _ used: Int, _ rank: Rank) -> Bool {
        used == 0 || used + max(1, room) <= capacity(of: rank)
    }

    private func takeFitting(_ state: inout State) -> [Waiter] {
        var entering: [Waiter] = []
        // Those that only need room count until they have taken some, or all of them would come in at once.
        var promised = 0
        for rank in Rank.allCases.reversed() {
            while let first = state[rank].first, fits(first.room, state.used + promised, rank) {
                _ = state[rank].popFirst()
                state.used += first.taking
                promised += first.room - first.taking
                entering.append(first)
            }
            // Nobody overtakes.
            if !state[rank].isEmpty { break }
        }
        return entering
    }

    private func wait(room: Int, taking: Int, of party: Party?, _ rank: Rank) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        let patience = patience
        let alarm = Task { [weak self] in
            try await Task.sleep(for: patience)
            self?.sendAway(number, of: party, rank)
        }
        defer { alarm.cancel() }
        let isIn = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(number: number, room: room, taking: taking, continuation: continuation)
                let (isGone, entering) = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return (true, [Waiter]()) }
                    state[rank].append(waiter, of: party)
                    // What was given back in between woke nobody.
                    return (false, takeFitting(&state))
                }
                if isGone { continuation.resume(returning: false) }
                for waiter in entering { waiter.continuation.resume(returning: true) }
            }
        } onCancel: {
            sendAway(number, of: party, rank, remembering: true)
        }
        state.withLock { _ = $0.cancelled.remove(number) }
        guard !isIn else { return }
        try Task.checkCancellation()
        throw ServiceError.noRoom
    }

    private func sendAway(
        _ number: UInt64, of party: Party?, _ rank: Rank, remembering: Bool = false
    ) {
        let (leaver, entering) = state.withLock { state -> (Waiter?, [Waiter]) in
            guard let leaver = state[rank].removeFirst(of: party, where: { $0.number == number })
            else {
                if remembering { state.cancelled.insert(number) }
                return (nil, [])
            }
            if !remembering, state[rank].count(of: party) == 0 { state.refused = .now }
            // Who stood after a large one may fit.
            return (leaver, takeFitting(&state))
        }
        leaver?.continuation.resume(returning: false)
        for waiter in entering { waiter.continuation.resume(returning: true) }
    }
}
