import DequeModule
import RecordModel
import RecordStorage
import Synchronization

/// One connection's end of the change log: changes wait here until their reader takes them.
///
/// What waits has a bound, in number and in bytes. A reader that is slower than the changes finds that it was left behind,
/// and reads the log.
final class ChangeReceiver: Sendable {
    /// What waits for the reader.
    enum Waiting {
        /// Changes in the order of their commits, and the position up to which there are no others.
        case changes([FollowedChange], upTo: Int64)
        /// More came than may wait; they are gone from here and still in the log.
        case overflow
        /// What is followed has changed.
        case reload
        /// The server stops.
        case end
    }

    fileprivate struct State {
        var queue: Deque<FollowedChange> = []
        /// The weight of the queue.
        var bytes = 0
        var tail: Int64 = 0
        var hasOverflowed = false
        var shallReload = false
        var hasEnded = false
        var isAwake = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// Which changes are wanted: types by database, with ``ChangeWatch/allTypes`` for all.
    var types: [Int64: Set<Int64>] { wanted.withLock { $0 } }
    /// Whose it is.
    let party: String
    /// The user whose subscriptions it follows; nil where it follows none.
    let subscriber: String?
    /// What operators see of it; nil for none of theirs.
    let connection: LiveConnection?
    /// Whether it only wakes its reader, who reads the log.
    private let onlyWakes: Bool
    private let wanted: Mutex<[Int64: Set<Int64>]>
    private let state = Mutex(State())

    init(
        types: [Int64: Set<Int64>], party: String, subscriber: String? = nil, onlyWakes: Bool = false,
        connection: LiveConnection? = nil
    ) {
        self.subscriber = subscriber
        self.onlyWakes = onlyWakes
        self.connection = connection
        wanted = Mutex(types)
        self.party = party
    }

    /// Whether a change is wanted; those of zones and deleted types always are, but for who wants what is shared.
    func wants(_ change: LoggedChange) -> Bool {
        guard let types = types[change.database] else { return false }
        let isShared = types.contains(ChangeWatch.shares)
        guard isShared == change.kind.isForParticipants else { return false }
        if isShared { return true }
        return change.type == 0 || types.contains(change.type) || types.contains(ChangeWatch.allTypes)
    }

    // MARK: For the hub

    /// Says which changes are wanted from now on.
    func watch(_ types: [Int64: Set<Int64>]) { wanted.withLock { $0 = types } }

    /// Offers a change.
    ///
    /// - Returns: false where it was too much, from which the reader learns that it has to read the log.
    func offer(_ change: FollowedChange) -> Bool {
        var isTaken = true
        wake { [onlyWakes] in
            if onlyWakes { $0.tail = max($0.tail, change.sequence) } else { isTaken = $0.add(change) }
        }
        return isTaken
    }

    /// Drops what waits: the reader has to read the log.
    ///
    /// - Returns: false where it has to already, and for one that only wakes its reader, who reads the log anyway.
    func overflow() -> Bool {
        var isNew = false
        wake { [onlyWakes] in if !onlyWakes { isNew = $0.overflow() } }
        return isNew
    }

    /// Whether the server stops.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// How many bytes of changes wait here.
    var waitingBytes: Int { state.withLock { $0.bytes } }

    /// Notes that everything up to a position was offered, and lets the reader look at its clock.
    func note(tail: Int64) { wake { $0.tail = max($0.tail, tail) } }

    /// Wakes the reader, who knows why.
    func wake() { wake { _ in } }

    func reload() { wake { $0.shallReload = true } }

    func end() { wake { $0.hasEnded = true } }

    private func wake(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            state.isAwake = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    // MARK: For the reader

    /// What waits, which is taken with it.
    func take() -> Waiting {
        state.withLock { state in
            state.isAwake = false
            if state.hasEnded { return .end }
            if state.hasOverflowed {
                state.hasOverflowed = false
                return .overflow
            }
            if state.shallReload {
                state.shallReload = false
                return .reload
            }
            defer { (state.queue, state.bytes) = ([], 0) }
            return .changes(Array(state.queue), upTo: max(state.tail, state.queue.last?.sequence ?? 0))
        }
    }

    /// Returns when there is something to take, or time to look at the clock, or the task is cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAwake = state.withLock { state in
                    assert(state.waiter == nil, "A receiver has one reader.")
                    if state.isAwake || Task.isCancelled { return true }
                    state.waiter = continuation
                    return false
                }
                if isAwake { continuation.resume() }
            }
        } onCancel: {
            wake { _ in }
        }
    }
}

extension ChangeReceiver.State {
    /// - Returns: false where it was too much.
    fileprivate mutating func add(_ change: FollowedChange) -> Bool {
        tail = max(tail, change.sequence)
        guard !hasOverflowed else { return true }
        let weight = change.logged.weight
        // One alone always has room: it may be of the largest record there is, before and after.
        let hasRoom = queue.isEmpty || bytes + weight <= Limits.waitingChangeBytes
        guard queue.count < Limits.waitingChanges, hasRoom else { return !overflow() }
        queue.append(change)
        bytes += weight
        return true
    }

    /// - Returns: whether the reader did not know yet.
    fileprivate mutating func overflow() -> Bool {
        defer { hasOverflowed = true }
        (queue, bytes) = ([], 0)
        return !hasOverflowed
    }
}
