internal import Synchronization

/// The positions of all items of a snapshot, found when the first is asked for and then kept for all its copies.
@usableFromInline final class PlacesOnDemand<Item: Hashable & Sendable>: Sendable {
    private let places = Mutex<[Item: ListPosition]?>(nil)

    @usableFromInline
    init() {}

    /// What was found, or nil when nobody has asked yet. Two threads may both find it; that it is the same makes
    /// no difference.
    @usableFromInline var found: [Item: ListPosition]? {
        get { places.withLock { $0 } }
        set { places.withLock { $0 = newValue } }
    }
}

extension SizedTree {
    /// The position of every item.
    @inlinable
    func positions<Item>(count: Int) -> [Item: ListPosition] where Element == ListSection<Item> {
        var result: [Item: ListPosition] = [:]
        result.reserveCapacity(count)
        for (section, content) in elements.enumerated() {
            for (index, item) in content.items.elements.enumerated() {
                result[item] = ListPosition(section: section, item: index)
            }
        }
        return result
    }
}
