// The code of this module is inlinable, because it is generic and used from another module: specialised there for its
// items and keys, an edit takes a fifth of the time.

/// A list in the order of a sort key and divided into sections, which can say exactly what an edit changed.
///
/// It is the part of `NSFetchedResultsController` that has nothing to do with a store.
///
/// ## Order and sections
/// The items are ordered by their keys; of equal keys, the item that has been in the list longer comes first. A
/// caller that needs the same order after building the list again puts something unique into the key. Then the items
/// are divided: each distinct section name makes one section, the sections are in the order of their first items, and
/// the items of a section keep their order. So a section is never split, whatever the order is. `snapshot.items`, the
/// sections one after the other, is the order in which the list shows its items; it equals the order of the keys when
/// the section names do not contradict the keys.
///
/// ## Cost
/// Building takes linear time when the entries come in order. An edit takes time for what it touches, with a factor
/// that grows with the logarithm of the list's length; taking a snapshot takes constant time. A copy of the list
/// itself shares all storage, but the next edit of either copies a table of all items: pass snapshots around instead.
///
/// ## Robustness
/// The comparison should be an order. If it is not (a comparison with NaN, say), the list still holds exactly the
/// items it should and reports its changes exactly; only their order means little, and an edit may take linear time.
public struct SectionedList<Item: Hashable & Sendable, Key> {
    /// What the list knows of one of its items.
    @usableFromInline struct Record {
        @usableFromInline var key: Key
        /// The position in the order of those with equal keys.
        @usableFromInline var arrival: Int
        @usableFromInline var section: SectionName

        @inlinable
        init(key: Key, arrival: Int, section: SectionName) {
            self.key = key
            self.arrival = arrival
            self.section = section
        }
    }

    /// Whether names divide the list. Otherwise it has exactly one section without a name, even when it is empty.
    public let isDivided: Bool
    /// Compares two keys: negative when the first comes before the second, 0 when they are equal, else positive.
    @usableFromInline let compare: (Key, Key) -> Int
    @usableFromInline var records: [Item: Record] = [:]
    @usableFromInline var tree = SectionTree<Item>()
    /// The first item of each section, by which a section is found in the tree.
    @usableFromInline var firstItems: [SectionName: Item] = [:]
    @usableFromInline var nextArrival: Int = 0

    /// A list of some entries, which may come in any order. Coming in the order of their keys makes it fast.
    ///
    /// - Parameters:
    ///   - entries: The items. Of an item that occurs more than once, the first entry counts.
    ///   - isDivided: Whether the names of the entries divide the list into sections.
    ///   - compare: Compares two keys: negative when the first comes before the second, 0 when they are equal,
    ///     positive otherwise. The raw value of a `ComparisonResult` is such a number.
    @inlinable
    public init(
        _ entries: [ListEntry<Item, Key>] = [], isDivided: Bool = true,
        compare: @escaping (Key, Key) -> Int
    ) {
        self.isDivided = isDivided
        self.compare = compare
        fill(entries)
    }

    /// The number of items.
    @inlinable public var count: Int { records.count }
    /// Whether there is no item.
    @inlinable public var isEmpty: Bool { records.isEmpty }
    /// The number of sections. A list that is not divided has one, even when it is empty.
    @inlinable public var sectionCount: Int { tree.count }

    /// The sections in their order, as they are now. Takes time in proportion to their number.
    @inlinable public var sections: [SectionedSnapshot<Item>.Section] { snapshot.sections }

    /// The section at an index as it is now, or nil where there is none.
    @inlinable
    public func section(at index: Int) -> SectionedSnapshot<Item>.Section? { snapshot.section(at: index) }

    /// The list as it is now. Costs nothing to take; later edits do not change it.
    @inlinable public var snapshot: SectionedSnapshot<Item> { SectionedSnapshot(tree: tree, count: count) }

    /// The item at a position, or nil where there is none.
    @inlinable
    public func item(at position: ListPosition) -> Item? { tree.item(at: position) }

    /// Whether an item is in the list.
    @inlinable
    public func contains(_ item: Item) -> Bool { records[item] != nil }

    /// An item with the key and the section name that the list has for it, or nil when it is not in the list.
    @inlinable
    public func entry(of item: Item) -> ListEntry<Item, Key>? {
        records[item].map { ListEntry(item, key: $0.key, section: $0.section.text) }
    }
}

extension SectionedList where Key: Comparable {
    /// A list of some entries, which may come in any order, smaller keys first.
    @inlinable
    public init(_ entries: [ListEntry<Item, Key>] = [], isDivided: Bool = true) {
        self.init(entries, isDivided: isDivided) { $0 < $1 ? -1 : $0 == $1 ? 0 : 1 }
    }
}

extension SectionedList {
    /// Builds everything from entries.
    @inlinable
    mutating func fill(_ entries: [ListEntry<Item, Key>]) {
        records.reserveCapacity(entries.count)
        var order: [Int] = []
        order.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() {
            let record = Record(key: entry.key, arrival: index, section: sectionName(of: entry))
            if let earlier = records.updateValue(record, forKey: entry.item) {
                records[entry.item] = earlier
            } else {
                order.append(index)
            }
        }
        nextArrival = entries.count
        if zip(order, order.dropFirst()).contains(where: { compare(entries[$0].key, entries[$1].key) > 0 }) {
            let compare = self.compare
            order.sort { one, other in
                let result = compare(entries[one].key, entries[other].key)
                return result == 0 ? one < other : result < 0
            }
        }
        divide(entries, in: order)
    }

    /// Makes the sections of entries, which are given by index in the order of the list.
    @inlinable
    mutating func divide(_ entries: [ListEntry<Item, Key>], in order: [Int]) {
        var names: [SectionName] = isDivided ? [] : [SectionName(nil)]
        var groups: [[Item]] = isDivided ? [] : [[]]
        var groupOfName: [SectionName: Int] = [:]
        var group = 0
        for index in order {
            let name = sectionName(of: entries[index])
            if names.isEmpty || names[group] != name {
                group = groupOfName[name] ?? names.count
                if group == names.count {
                    groupOfName[name] = group
                    names.append(name)
                    groups.append([])
                }
            }
            groups[group].append(entries[index].item)
        }
        for (name, items) in zip(names, groups) { firstItems[name] = items.first }
        tree = SectionTree(zip(names, groups).map { ListSection(name: $0, items: SizedTree($1)) })
    }

    /// The name under which the list files an entry.
    @inlinable
    func sectionName(of entry: ListEntry<Item, Key>) -> SectionName {
        SectionName(isDivided ? entry.section : nil)
    }
}
