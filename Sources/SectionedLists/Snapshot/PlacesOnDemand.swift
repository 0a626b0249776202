internal import Synchronization

/// The positions of all items of a snapshot, found when the first is asked for and then kept for all its copies.
final class PlacesOnDemand<Item: Hashable & Sendable>: Sendable {
    private let places = Mutex<[Item: ListPosition]?>(nil)

    func position(of item: Item, in tree: SectionTree<Item>) -> ListPosition? {
        places.withLock { places in
            if let places { return places[item] }
            let found = tree.positions()
            places = found
            return found[item]
        }
    }
}

extension SizedTree {
    /// The position of every item. Of an item that occurs more than once, the first.
    func positions<Item>() -> [Item: ListPosition] where Element == ListSection<Item> {
        var result: [Item: ListPosition] = [:]
        for (section, content) in elements.enumerated() {
            result.reserveCapacity(result.count + content.items.count)
            for (index, item) in content.items.elements.enumerated() where result[item] == nil {
                result[item] = ListPosition(section: section, item: index)
            }
        }
        return result
    }
}
