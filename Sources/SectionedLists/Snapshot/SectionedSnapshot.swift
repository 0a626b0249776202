/// The items of a sectioned list at one moment, section by section.
///
/// A snapshot never changes and costs nothing to take or to copy: it shares its storage with the list and with other
/// snapshots, and a later edit of the list copies only the few nodes that it touches. Reading an item at a position
/// takes logarithmic time. Positions or sections that do not exist give nil or nothing; nothing traps.
public struct SectionedSnapshot<Item: Hashable & Sendable>: Sendable {
    @usableFromInline let tree: SectionTree<Item>
    @usableFromInline let places: PlacesOnDemand<Item>
    /// The number of items in all sections.
    public let count: Int

    @inlinable
    init(tree: SectionTree<Item>, count: Int) {
        self.tree = tree
        self.count = count
        places = PlacesOnDemand()
    }

    /// A snapshot of given sections, in linear time.
    ///
    /// Sections whose names have the same bytes become one, and an item that occurs again is left out, so that a
    /// name and an item have one position each.
    @inlinable
    public init(sections: [(name: String?, items: [Item])] = []) {
        var seen: Set<Item> = []
        var names: [SectionName] = []
        var items: [SectionName: [Item]] = [:]
        for section in sections {
            let name = SectionName(section.name)
            if items[name] == nil { names.append(name) }
            items[name, default: []] += section.items.filter { seen.insert($0).inserted }
        }
        let tree = SizedTree(names.map { ListSection(name: $0, items: SizedTree(items[$0] ?? [])) })
        self.init(tree: tree, count: seen.count)
    }

    /// Whether there is no item.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// The number of sections.
    @inlinable public var sectionCount: Int { tree.count }

    /// The sections in their order. Takes time in proportion to their number, not to that of the items.
    @inlinable public var sections: [Section] { tree.elements.map(Section.init) }

    /// The section at an index, or nil where there is none.
    @inlinable
    public func section(at index: Int) -> Section? {
        index >= 0 && index < tree.count ? Section(storage: tree[index]) : nil
    }

    /// The item at a position, or nil where there is none.
    @inlinable
    public func item(at position: ListPosition) -> Item? { tree.item(at: position) }

    /// The position of an item, or nil when it is not in the snapshot.
    ///
    /// The first call for a snapshot and its copies indexes all items, in linear time; the others take constant
    /// time. `SectionedList.position(of:)` needs no index.
    @inlinable
    public func position(of item: Item) -> ListPosition? {
        if let found = places.found { return found[item] }
        let found = tree.positions(count: count)
        places.found = found
        return found[item]
    }

    /// All items, section after section, in a new array.
    @inlinable public var items: [Item] {
        var result: [Item] = []
        result.reserveCapacity(count)
        tree.forEachRun { for section in $0 { section.items.forEachRun { result += $0 } } }
        return result
    }
}

extension SectionedSnapshot {
    /// One section of a snapshot: its name and its items.
    public struct Section: Sendable {
        @usableFromInline let storage: ListSection<Item>

        @inlinable
        init(storage: ListSection<Item>) { self.storage = storage }

        /// The name of the section.
        @inlinable public var name: String? { storage.name.text }
        /// The number of items.
        @inlinable public var count: Int { storage.items.count }
        /// The items in a new array.
        @inlinable public var items: [Item] { storage.items.elements }

        /// The item at an index, or nil where there is none.
        @inlinable
        public func item(at index: Int) -> Item? {
            index >= 0 && index < storage.items.count ? storage.items[index] : nil
        }
    }
}

extension SectionedSnapshot: Equatable {
    /// Whether both have the same sections, with names of the same bytes, and in them the same items.
    ///
    /// Sections that the two share are not looked into, so comparing a snapshot with the next one is cheap.
    @inlinable
    public static func == (left: SectionedSnapshot, right: SectionedSnapshot) -> Bool {
        guard left.count == right.count, left.tree.count == right.tree.count else { return false }
        if left.tree.isShared(with: right.tree) { return true }
        return zip(left.tree.elements, right.tree.elements).allSatisfy { one, other in
            guard one.name == other.name, one.items.count == other.items.count else { return false }
            return one.items.isShared(with: other.items) || one.items.elements == other.items.elements
        }
    }
}
