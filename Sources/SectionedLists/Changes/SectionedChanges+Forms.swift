extension SectionedChanges {
    /// The same changes as Apple documents them: an item that was in the list and still is has moved, even when its
    /// old section is deleted or its new one inserted.
    ///
    /// This is for code that must see one call for one object. A view that takes such a move for its own `moveRow`
    /// may raise an exception ("cannot move a row from a deleted section"); the original form never does so. An item
    /// of which both positions have the same indexes is left as a delete and an insert: nobody would see it move.
    @inlinable public var asDocumentedByApple: SectionedChanges {
        var result = self
        var moved: Set<Item> = []
        result.inserts.removeAll { insert in
            guard let previous = insert.previous, previous != insert.position else { return false }
            moved.insert(insert.item)
            result.moves.append(
                Move(
                    item: insert.item, old: previous, new: insert.position,
                    contentChanged: insert.contentChanged))
            return true
        }
        guard !moved.isEmpty else { return self }
        result.deletes.removeAll { moved.contains($0.item) }
        result.moves.sort { $0.new < $1.new }
        return result
    }

    /// The changes of a list without sections as a difference of two collections; nil when there are sections.
    ///
    /// A move is a removal and an insertion that name each other. So is an update when `includingUpdates` is true,
    /// which is how a difference can say that an element must be drawn again; otherwise updates are left out.
    @inlinable
    public func collectionDifference(includingUpdates: Bool = false) -> CollectionDifference<Item>? {
        guard sectionDeletes.isEmpty, sectionInserts.isEmpty else { return nil }
        var pairs: [Move] = moves
        if includingUpdates {
            pairs += updates.map { Move(item: $0.item, old: $0.old, new: $0.new, contentChanged: true) }
        }
        let again = Set(inserts.lazy.filter { $0.previous != nil }.map(\.item))
        pairs += inserts.compactMap { insert in
            insert.previous.map {
                Move(item: insert.item, old: $0, new: insert.position, contentChanged: insert.contentChanged)
            }
        }
        guard pairs.allSatisfy({ $0.old.section == 0 && $0.new.section == 0 }),
            deletes.allSatisfy({ $0.position.section == 0 }), inserts.allSatisfy({ $0.position.section == 0 })
        else { return nil }

        var steps: [CollectionDifference<Item>.Change] = []
        for pair in pairs {
            let (old, new) = (pair.old.item, pair.new.item)
            steps.append(.remove(offset: old, element: pair.item, associatedWith: new))
            steps.append(.insert(offset: new, element: pair.item, associatedWith: old))
        }
        for delete in deletes where !again.contains(delete.item) {
            steps.append(.remove(offset: delete.position.item, element: delete.item, associatedWith: nil))
        }
        for insert in inserts where insert.previous == nil {
            steps.append(.insert(offset: insert.position.item, element: insert.item, associatedWith: nil))
        }
        return CollectionDifference(steps)
    }
}
