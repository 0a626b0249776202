/// What has changed between two states of a sectioned list, for a view that shows the first and is to show the second.
///
/// ## How to apply it
/// The changes of one value belong together, as the calls between `beginUpdates` and `endUpdates` of a table view do.
/// Old positions and indexes (`sectionDeletes`, `deletes`, `updates` and the source of `moves`) all refer to the list
/// before any change; new ones (`sectionInserts`, `inserts` and the destination of `moves`) to the list after all of
/// them. So the order in which they are applied does not matter to a table view. A delegate gets them in the order of
/// the properties here: sections first, deletes from the back, inserts from the front, moves, updates.
///
/// ## What is promised
/// - Applied to the old sections they give the new ones, names and all.
/// - No position is mentioned twice among the old ones, and none among the new ones.
/// - A move never leads to where it came from. It also never leaves a section that is deleted, nor enters one that is
///   inserted: table views refuse both. Such an item is reported as a delete and an insert (see `Insert.previous`).
/// - What the edits of *other* items merely shift is not reported.
/// - All items of a deleted section are among `deletes`, and all items of an inserted one among `inserts`. A view
///   that fills a new section from its data source and drops a deleted one whole may apply them or leave them out.
/// - A section that gets ahead of others or falls behind them, because its first item changed, is deleted and inserted
///   with its items: views and `NSFetchedResultsControllerDelegate` know no other word for it. The sections for which
///   this is done are those with the fewest items.
/// - Every item whose content changed is in `moves` with `contentChanged`, in `inserts`, or in `updates`.
public struct SectionedChanges<Item: Hashable & Sendable>: Hashable, Sendable {
    /// The sections that are no more, by old index, the last first.
    public var sectionDeletes: [SectionChange] = []
    /// The sections that are new, by new index, the first first.
    public var sectionInserts: [SectionChange] = []
    /// The items that left their position for no other, by old position, the last first.
    public var deletes: [Delete] = []
    /// The items that have a position without coming from another, by new position, the first first.
    public var inserts: [Insert] = []
    /// The items whose position among the others changed, by new position, the first first.
    public var moves: [Move] = []
    /// The items that stayed and have changed, by old position, the first first.
    public var updates: [Update] = []

    /// No change.
    @inlinable
    public init() {}

    /// Whether nothing has changed.
    @inlinable public var isEmpty: Bool {
        sectionDeletes.isEmpty && sectionInserts.isEmpty && deletes.isEmpty && inserts.isEmpty
            && moves.isEmpty
            && updates.isEmpty
    }

    /// A section that is deleted or inserted.
    public struct SectionChange: Hashable, Sendable {
        /// The index: the old one of a deleted section, the new one of an inserted section.
        public var index: Int
        /// The name of the section.
        public var name: String?

        /// A deleted or inserted section.
        @inlinable
        public init(index: Int, name: String?) {
            self.index = index
            self.name = name
        }
    }

    /// An item that leaves its position for no other.
    public struct Delete: Hashable, Sendable {
        /// The item.
        public var item: Item
        /// Where it was.
        public var position: ListPosition

        /// A deleted item.
        @inlinable
        public init(item: Item, position: ListPosition) {
            self.item = item
            self.position = position
        }
    }

    /// An item that has a position without coming from another.
    public struct Insert: Hashable, Sendable {
        /// The item.
        public var item: Item
        /// Where it is.
        public var position: ListPosition
        /// Where it was, when the item was in the list before and is among the deletes as well.
        public var previous: ListPosition?
        /// Whether the content of such an item changed too.
        public var contentChanged: Bool

        /// An inserted item.
        @inlinable
        public init(
            item: Item, position: ListPosition, previous: ListPosition? = nil, contentChanged: Bool = false
        ) {
            self.item = item
            self.position = position
            self.previous = previous
            self.contentChanged = contentChanged
        }
    }

    /// An item whose position among the others changed.
    public struct Move: Hashable, Sendable {
        /// The item.
        public var item: Item
        /// Where it was.
        public var old: ListPosition
        /// Where it is.
        public var new: ListPosition
        /// Whether its content changed too. A view has to draw it again, which moving it does not do.
        public var contentChanged: Bool

        /// A moved item.
        @inlinable
        public init(item: Item, old: ListPosition, new: ListPosition, contentChanged: Bool) {
            self.item = item
            self.old = old
            self.new = new
            self.contentChanged = contentChanged
        }
    }

    /// An item that stayed and has changed.
    public struct Update: Hashable, Sendable {
        /// The item.
        public var item: Item
        /// Where it was.
        public var old: ListPosition
        /// Where it is, after what the changes of others shifted.
        public var new: ListPosition

        /// An item that stayed.
        @inlinable
        public init(item: Item, old: ListPosition, new: ListPosition) {
            self.item = item
            self.old = old
            self.new = new
        }
    }
}
