import SectionedLists

/// An object as an item of a list: known by its identity, so that its position survives the change of its ID when it is
/// saved, and kept alive.
struct ListedObject: Hashable, Sendable {
    // Unsafe: the lists never leave the queue of the context, to which the objects belong too.
    nonisolated(unsafe) let object: NSManagedObject

    static func == (left: ListedObject, right: ListedObject) -> Bool { left.object === right.object }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
}

/// What decides the position of an object among others: the values of the sort keys as they were when the list last
/// looked, and the object for its ID, which decides ties.
struct ListKey {
    var values: [PropertyValue]
    let object: NSManagedObject

    /// Compares keys as the store orders rows.
    static func comparison(_ sorts: [StoreSort]) -> (ListKey, ListKey) -> Int {
        { first, second in
            for (place, sort) in sorts.enumerated() {
                let order = sort.order(first.values[place], second.values[place])
                if order != .orderedSame { return order.rawValue }
            }
            if first.object === second.object { return 0 }
            // The ID is read again each time: it becomes another one when the object is saved.
            let (left, right) = (first.object.objectID, second.object.objectID)
            if ObjectOrder.idPrecedes(left, right) { return -1 }
            return ObjectOrder.idPrecedes(right, left) ? 1 : 0
        }
    }
}

typealias ObjectList = SectionedList<ListedObject, ListKey>
typealias ObjectListSnapshot = SectionedSnapshot<ListedObject>
typealias ObjectListChanges = SectionedChanges<ListedObject>
typealias IDListSnapshot = SectionedSnapshot<NSManagedObjectID>
typealias IDListChanges = SectionedChanges<NSManagedObjectID>

extension IndexPath {
    init(_ position: ListPosition) { self.init(item: position.item, section: position.section) }
}

extension SectionedChanges {
    /// The same changes of other items; an item of each must stand for one of the other.
    func mapItems<Other>(_ other: (Item) -> Other) -> SectionedChanges<Other> {
        var result = SectionedChanges<Other>()
        result.sectionDeletes = sectionDeletes.map { .init(index: $0.index, name: $0.name) }
        result.sectionInserts = sectionInserts.map { .init(index: $0.index, name: $0.name) }
        result.deletes = deletes.map { .init(item: other($0.item), position: $0.position) }
        result.inserts = inserts.map {
            .init(
                item: other($0.item), position: $0.position, previous: $0.previous,
                contentChanged: $0.contentChanged)
        }
        result.moves = moves.map {
            .init(item: other($0.item), old: $0.old, new: $0.new, contentChanged: $0.contentChanged)
        }
        result.updates = updates.map { .init(item: other($0.item), old: $0.old, new: $0.new) }
        return result
    }

    /// The items that a view has to draw again: those that stayed or moved, and have changed.
    var itemsToReload: [Item] {
        updates.map(\.item) + moves.filter(\.contentChanged).map(\.item)
            + inserts.filter { $0.previous != nil && $0.contentChanged }.map(\.item)
    }
}
