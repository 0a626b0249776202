/// Changes that wait to be sent: one for each key at most, in the order in which the keys came.
///
/// A value. Adding and removing take constant time, since an app may have tens of thousands waiting; a removed change
/// leaves a gap, and gaps are closed when they are as many as the changes.
struct WaitingChanges<Key: Hashable & Sendable, Change: Equatable & Sendable>: Sendable {
    private struct Slot: Sendable {
        let key: Key
        var change: Change
        /// Counts how often something was added; shows that a change was added again while it was sent.
        var revision: Int
    }

    /// The changes at one moment, to be compared with later ones.
    struct Mark: Sendable {
        fileprivate let revision: Int
    }

    private var slots: [Slot?] = []
    private var places: [Key: Int] = [:]
    private var revision = 0

    init() {}

    /// The changes in their order.
    var changes: [Change] { slots.compactMap { $0?.change } }

    /// The number of changes.
    var count: Int { places.count }

    /// Where the changes stand now.
    var mark: Mark { Mark(revision: revision) }

    subscript(key: Key) -> Change? { places[key].flatMap { slots[$0]?.change } }

    /// Adds a change. The same one again keeps its place; another one for the key takes the last place, in the
    /// stead of the older one.
    mutating func add(_ change: Change, for key: Key) {
        revision += 1
        if let place = places[key], slots[place]?.change == change {
            slots[place]?.revision = revision
            return
        }
        remove(key)
        places[key] = slots.count
        slots.append(Slot(key: key, change: change, revision: revision))
    }

    /// Removes a change; another one for the same key stays.
    mutating func remove(_ change: Change, for key: Key) {
        if self[key] == change { remove(key) }
    }

    /// Removes a change that was sent, unless it was added again since.
    mutating func removeSent(_ change: Change, for key: Key, since mark: Mark) {
        guard let place = places[key], let slot = slots[place], slot.change == change,
            slot.revision <= mark.revision
        else { return }
        remove(key)
    }

    mutating func removeAll() {
        slots = []
        places = [:]
    }

    private mutating func remove(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        slots[place] = nil
        if slots.count > 16, slots.count > 2 * places.count { closeGaps() }
    }

    private mutating func closeGaps() {
        slots = slots.filter { $0 != nil }
        for (place, slot) in slots.enumerated() { if let slot { places[slot.key] = place } }
        assert(slots.count == places.count, "Each change has one place.")
    }
}
