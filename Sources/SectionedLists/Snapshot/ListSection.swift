/// A section as the list and its snapshots share it.
struct ListSection<Item: Hashable & Sendable>: Sendable {
    let name: SectionName
    var items: SizedTree<Item>
}

/// The sections of a list in their order.
typealias SectionTree<Item: Hashable & Sendable> = SizedTree<ListSection<Item>>

extension SizedTree {
    /// The item at a position, or nil where there is none.
    func item<Item>(at position: ListPosition) -> Item? where Element == ListSection<Item> {
        guard position.section >= 0, position.section < count else { return nil }
        let items = self[position.section].items
        guard position.item >= 0, position.item < items.count else { return nil }
        return items[position.item]
    }
}
