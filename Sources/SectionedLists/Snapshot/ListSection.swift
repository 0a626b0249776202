/// A section as the list and its snapshots share it.
@usableFromInline struct ListSection<Item: Hashable & Sendable>: Sendable {
    @usableFromInline let name: SectionName
    @usableFromInline var items: SizedTree<Item>

    @inlinable
    init(name: SectionName, items: SizedTree<Item>) {
        self.name = name
        self.items = items
    }
}

/// The sections of a list in their order.
@usableFromInline typealias SectionTree<Item: Hashable & Sendable> = SizedTree<ListSection<Item>>

extension SizedTree {
    /// The item at a position, or nil where there is none.
    @inlinable
    func item<Item>(at position: ListPosition) -> Item? where Element == ListSection<Item> {
        guard position.section >= 0, position.section < count else { return nil }
        let items = self[position.section].items
        guard position.item >= 0, position.item < items.count else { return nil }
        return items[position.item]
    }
}
