internal import DequeModule
internal import RecordModel

/// Who uses a few places next, in which no party can keep others waiting for long.
///
/// A party that holds a place already does not get the last free one, and those that wait take turns by party.
/// So whoever holds nothing finds a place free, or waits only for parties that hold one each.
package struct FairQueue<Waiter> {
    /// How many places there are.
    package let places: Int
    /// Whether the last free place is kept for a party that holds none.
    package let isShared: Bool
    private let mostWaiting: Int
    private let mostWaitingPerParty: Int

    package private(set) var free: Int
    /// How many places each party holds; kept only where they are shared.
    private var held: [ReadParty: Int] = [:]
    private var queues: [ReadParty: Deque<(id: UInt64, waiter: Waiter)>] = [:]
    /// The parties that have somebody waiting, the next first.
    private var order: Deque<ReadParty> = []
    package private(set) var waiting = 0

    /// Makes places, all of them free, with the most that may wait in all and of one party.
    package init(places: Int, isShared: Bool, mostWaiting: Int = .max, mostWaitingPerParty: Int = .max) {
        self.places = places
        // Of a single place nothing can be kept.
        self.isShared = isShared && places > 1
        self.mostWaiting = mostWaiting
        self.mostWaitingPerParty = mostWaitingPerParty
        free = places
    }

    private func mayTake(_ party: ReadParty) -> Bool {
        free > 0 && (!isShared || free > 1 || held[party] == nil)
    }

    /// Takes a place for a party, if there is one for it.
    package mutating func take(_ party: ReadParty) -> Bool {
        guard mayTake(party) else { return false }
        free -= 1
        if isShared { held[party, default: 0] += 1 }
        assert(held.count <= places - free || !isShared)
        return true
    }

    /// Lets somebody wait.
    ///
    /// - Returns: false where too many wait already.
    package mutating func wait(_ waiter: Waiter, id: UInt64, _ party: ReadParty) -> Bool {
        assert(!mayTake(party), "Nobody waits who need not.")
        let own = queues[party]?.count ?? 0
        guard waiting < mostWaiting, own < mostWaitingPerParty else { return false }
        if own == 0 { order.append(party) }
        queues[party, default: []].append((id, waiter))
        waiting += 1
        return true
    }

    /// Gives a place back.
    ///
    /// - Returns: those whose turn it is now, each with a place.
    package mutating func give(by party: ReadParty) -> [Waiter] {
        free += 1
        assert(free <= places)
        if isShared, let count = held[party] { held[party] = count > 1 ? count - 1 : nil }
        var next: [Waiter] = []
        while let index = order.firstIndex(where: mayTake) {
            let party = order.remove(at: index)
            guard let waiter = queues[party]?.popFirst()?.waiter, take(party) else { break }
            if queues[party]?.isEmpty == false { order.append(party) } else { queues[party] = nil }
            waiting -= 1
            next.append(waiter)
        }
        return next
    }

    /// Takes somebody out who waits no longer; nil where it is somebody's turn already.
    package mutating func leave(id: UInt64, _ party: ReadParty) -> Waiter? {
        guard let index = queues[party]?.firstIndex(where: { $0.id == id }) else { return nil }
        return remove(at: index, of: party)
    }

    /// Takes out all who wait and whom the closure accepts.
    package mutating func removeAll(where isGone: (Waiter) -> Bool) -> [Waiter] {
        var gone: [Waiter] = []
        for party in Array(order) {
            while let index = queues[party]?.firstIndex(where: { isGone($0.waiter) }) {
                if let waiter = remove(at: index, of: party) { gone.append(waiter) }
            }
        }
        return gone
    }

    /// Those who wait, the longest waiting of each party.
    package var foremost: [Waiter] { order.compactMap { queues[$0]?.first?.waiter } }

    private mutating func remove(at index: Int, of party: ReadParty) -> Waiter? {
        let waiter = queues[party]?.remove(at: index).waiter
        if queues[party]?.isEmpty == true {
            queues[party] = nil
            order.removeAll { $0 == party }
        }
        waiting -= 1
        assert(waiting == queues.values.reduce(0) { $0 + $1.count } && order.count == queues.count)
        return waiter
    }
}
