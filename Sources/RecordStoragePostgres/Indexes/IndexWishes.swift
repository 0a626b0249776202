internal import RecordModel
internal import RecordStorage
internal import Synchronization

/// The indexes that queries of this node have missed, or that an operator has ordered.
final class IndexWishes: Sendable {
    struct Wish: Hashable, Sendable {
        var shape: IndexShape
        var type: Int64
    }

    /// Why it is wanted.
    struct Reason: Sendable {
        /// A zone in which rows were looked for without it.
        var zone: Int64
        /// Whether it was ordered, and is made however few rows there are.
        var isOrdered: Bool
    }

    private struct State {
        var waiting: [Wish: Reason] = [:]
        /// Until when wishes are not heard again that were refused.
        var refused: [Wish: ContinuousClock.Instant] = [:]
    }

    private let state = Mutex(State())

    /// How many wait, and how many refusals are remembered.
    private static let limit = 64
    private static let refusalLimit = 1_000

    /// Notes that a scan ran without an index of its shape.
    func missed(_ scan: RecordScan) {
        guard scan.mayMakeIndex, let zone = scan.zones.first, let shape = scan.indexShape else { return }
        let wish = Wish(shape: shape, type: scan.type.id)
        state.withLock { state in
            if let end = state.refused[wish], end > .now { return }
            guard state.waiting[wish] == nil, state.waiting.count < Self.limit else { return }
            state.waiting[wish] = Reason(zone: zone, isOrdered: false)
        }
    }

    /// Orders an index, whatever was refused before.
    func order(_ wish: Wish, zone: Int64) {
        state.withLock { $0.waiting[wish] = Reason(zone: zone, isOrdered: true) }
    }

    /// Whether an index was ordered and is not made yet.
    func isOrdered(_ wish: Wish) -> Bool { state.withLock { $0.waiting[wish]?.isOrdered == true } }

    /// How many indexes were ordered.
    var orderedCount: Int { state.withLock { $0.waiting.values.count { $0.isOrdered } } }

    /// One that is to be looked at next; it waits on until ``end(_:_:refusedFor:)``.
    var next: (wish: Wish, reason: Reason)? {
        state.withLock { state in
            let first = state.waiting.first { $0.value.isOrdered } ?? state.waiting.first
            return first.map { (wish: $0.key, reason: $0.value) }
        }
    }

    /// Forgets a wish that was fulfilled, or refused for some time.
    func end(_ wish: Wish, _ reason: Reason, refusedFor time: Duration?) {
        state.withLock { state in
            // Ordered meanwhile: it is looked at again.
            if state.waiting[wish]?.isOrdered == reason.isOrdered { state.waiting[wish] = nil }
            guard let time else { return }
            if state.refused.count >= Self.refusalLimit {
                state.refused = state.refused.filter { $0.value > .now }
                if state.refused.count >= Self.refusalLimit { state.refused = [:] }
            }
            state.refused[wish] = .now + time
        }
    }
}
