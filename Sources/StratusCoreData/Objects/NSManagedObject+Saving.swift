// What an object asks a store to write, and what becomes of it when that is done.

extension NSManagedObject {
    /// What the object asks a store to write.
    func change(base: Snapshot?) -> ObjectChange {
        guard !isDeleted else {
            return ObjectChange(objectID: objectID, layout: layout, base: base, values: [], changedSlots: [])
        }
        // What a new object was given as it began is noted nowhere.
        let manySlots =
            isInserted ? Array(layout.toManys) : changedSlots.slots.filter { layout.toManys.contains($0) }
        let stored =
            isInserted
            ? Array(0..<layout.storedCount) : storedChanges().filter { $0 < layout.storedCount }
        return ObjectChange(
            objectID: objectID, layout: layout, base: base, values: storedValues(), changedSlots: stored,
            toManys: manySlots.compactMap(manyChange))
    }

    /// The stored and to-many slots that differ from what was saved last.
    func storedChanges() -> [Int] {
        changedSlots.slots.filter { !layout.properties[$0].isTransient && differsFromSaved($0) }
    }

    /// How a to-many slot differs from what was saved last; nil where it does not.
    func manyChange(_ slot: Int) -> ToManyChange? {
        let isOrdered = layout.relationshipDescriptions[slot]?.isOrdered ?? false
        if case .rearranged = relation(slot) { _ = toMany(slot) }
        switch relation(slot) {
        case .pending(let added, let removed):
            guard !added.isEmpty || !removed.isEmpty else { return nil }
            return ToManyChange(
                slot: slot, added: added.map(\.objectID), removed: removed.map(\.objectID), order: nil)
        case .many(let now):
            guard
                case .many(let before)? = savedMany[slot]
                    ?? (snapshot == nil ? .many(.init([], isOrdered: false)) : nil)
            else { return nil }
            let added = now.objects.filter { !before.contains($0) }
            let removed = before.objects.filter { !now.contains($0) }
            let isReordered =
                isOrdered && !now.objects.elementsEqual(before.objects, by: { $0 === $1 })
            guard !added.isEmpty || !removed.isEmpty || isReordered else { return nil }
            return ToManyChange(
                slot: slot, added: added.map(\.objectID), removed: removed.map(\.objectID),
                order: isReordered ? now.objects.map(\.objectID) : nil)
        default: return nil
        }
    }

    /// The values of all stored slots as they are now, with IDs for to-one relationships.
    func storedValues() -> [PropertyValue] {
        var values: [PropertyValue] = []
        values.reserveCapacity(layout.storedCount)
        for slot in layout.attributes { values.append(currentAttribute(slot)) }
        for slot in layout.toOnes { values.append(toOneID(slot).map { .reference($0) } ?? .null) }
        return values
    }

    /// The object is saved: what it holds is what the store holds.
    func settle(_ row: Snapshot?) {
        life.settle()
        if let row {
            snapshot = row
            // Derived values were computed by the store.
            if !cells.isEmpty {
                if layout.transients.isEmpty {
                    cells = []
                } else {
                    for slot in layout.attributes { cells[slot] = row.value(slot, layout) }
                }
            }
        }
        forgetChanges()
        // What was unknown but for its changes is in the store now.
        if !relations.isEmpty {
            for slot in layout.toManys { if case .pending = relation(slot) { setRelation(slot, .unknown) } }
        }
    }

    /// The delete of the object is saved, so it is gone for good.
    func turnGone() {
        life.leave()
        letGo()
    }
}
