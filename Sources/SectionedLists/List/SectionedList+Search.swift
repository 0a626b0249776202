extension SectionedList {
    /// The position of an item, or nil when it is not in the list. Takes logarithmic time.
    @inlinable
    public func position(of item: Item) -> ListPosition? {
        guard let record = records[item], let section = index(of: record.section) else { return nil }
        let items = tree[section].items
        guard let index = index(of: item, record, in: items) else { return nil }
        return ListPosition(section: section, item: index)
    }

    /// The index of a section, or nil when there is none of that name.
    @inlinable
    func index(of section: SectionName) -> Int? {
        guard isDivided else { return 0 }
        guard let first = firstItems[section], let record = records[first] else { return nil }
        let index = insertionIndex(of: record)
        if index < tree.count, tree[index].name == section { return index }
        // Only reached when the comparison is not an order.
        return tree.elements.firstIndex { $0.name == section }
    }

    /// Where a section belongs whose first item has a given record.
    @inlinable
    func insertionIndex(of record: Record) -> Int {
        tree.partitionPoint { section in
            section.items.first.map { isBefore($0, record) } ?? false
        }
    }

    /// Where an item with a given record belongs in a section.
    @inlinable
    func insertionIndex(of record: Record, in items: SizedTree<Item>) -> Int {
        items.partitionPoint { isBefore($0, record) }
    }

    @inlinable
    func index(of item: Item, _ record: Record, in items: SizedTree<Item>) -> Int? {
        let index = insertionIndex(of: record, in: items)
        if index < items.count, items[index] == item { return index }
        // Only reached when the comparison is not an order.
        return items.elements.firstIndex(of: item)
    }

    @inlinable
    func isBefore(_ item: Item, _ record: Record) -> Bool {
        guard let other = records[item] else { return false }
        let order = compare(other.key, record.key)
        return order == 0 ? other.arrival < record.arrival : order < 0
    }
}
