/// The position of an item in a sectioned list: the index of its section, and its own index in that section.
///
/// Both count from 0. Positions are ordered as the items are: by section, then by item.
public struct ListPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The index of the section.
    public var section: Int
    /// The index of the item in its section.
    public var item: Int

    /// A position from its two indexes.
    @inlinable
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }

    @inlinable
    public static func < (left: ListPosition, right: ListPosition) -> Bool {
        left.section == right.section ? left.item < right.item : left.section < right.section
    }

    public var description: String { "[\(section), \(item)]" }
}
