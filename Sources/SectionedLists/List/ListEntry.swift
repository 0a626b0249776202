/// An item with what decides its place: the sort key and the name of its section, as they were at one moment.
///
/// The list keeps both, so it stays consistent when the object behind the item changes later.
public struct ListEntry<Item: Hashable & Sendable, Key> {
    /// What the list holds.
    public var item: Item
    /// What the list's order compares.
    public var key: Key
    /// The name of the item's section. A list that is not divided into sections ignores it.
    public var section: String?

    /// An item with its sort key and the name of its section.
    @inlinable
    public init(_ item: Item, key: Key, section: String? = nil) {
        self.item = item
        self.key = key
        self.section = section
    }
}

extension ListEntry: Sendable where Key: Sendable {}

/// One edit of a list: what is to be true of an item from now on.
public enum ListEdit<Item: Hashable & Sendable, Key> {
    /// The item is in the list with this key and section: it is added, or takes its new place.
    ///
    /// `contentChanged` says that a view of the item must be drawn again although it may stay where it is.
    case put(ListEntry<Item, Key>, contentChanged: Bool)
    /// The item is not in the list.
    case remove(Item)

    /// The item that the edit is about.
    @inlinable public var item: Item {
        switch self {
        case .put(let entry, _): entry.item
        case .remove(let item): item
        }
    }
}

extension ListEdit: Sendable where Key: Sendable {}
