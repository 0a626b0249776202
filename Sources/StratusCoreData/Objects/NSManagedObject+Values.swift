// How attributes are read and changed; relationships are in a file of their own.

extension NSManagedObject {
    /// The value of an attribute's slot, reading the row where the object is a fault.
    func attribute(_ slot: Int) -> PropertyValue {
        ConcurrencyCheck.check(self)
        if life.isFault { fulfil() }
        return currentAttribute(slot)
    }

    /// The value of an attribute's slot as it is known; null for a fault.
    func currentAttribute(_ slot: Int) -> PropertyValue {
        if !cells.isEmpty { return cells[slot] }
        guard slot < layout.storedCount, let snapshot else { return .null }
        return snapshot.value(slot, layout)
    }

    /// Changes an attribute, and notices it.
    func setAttribute(_ slot: Int, _ value: PropertyValue) {
        ConcurrencyCheck.check(self)
        if life.isFault { fulfil() }
        noteChange(of: slot)
        materialize()
        cells[slot] = value
    }

    /// Changes an attribute without noticing it.
    func setPrimitiveAttribute(_ slot: Int, _ value: PropertyValue) {
        if life.isFault { fulfil() }
        materialize()
        cells[slot] = value
        // What was set while awakening is part of the object's beginning; afterwards it has to be saved.
        if life.isInserted || !marks.contains(.quiet) { notePrimitiveChange(of: slot) }
    }

    /// Remembers that a slot has to be saved, though nobody noticed that it changed.
    func notePrimitiveChange(of slot: Int) {
        guard !changedSlots.contains(slot) else { return }
        changedSlots.insert(slot)
        primitiveSlots.insert(slot)
    }

    /// Makes the values changeable.
    func materialize() {
        guard cells.isEmpty else { return }
        var values = layout.defaults
        for slot in layout.attributes { values[slot] = snapshot?.value(slot, layout) ?? .null }
        cells = values
    }

    /// Remembers what a slot holds before it is changed, and that the object is changed.
    func noteChange(of slot: Int) {
        if marks.contains(.quiet) { return }
        if life.isFault { fulfil() }
        announceChange()
        changedSlots.insert(slot)
        if !primitiveSlots.isEmpty { primitiveSlots.remove(slot) }
        // What an event before this one changed is kept until its listeners have heard of it.
        if !eventOld.isEmpty, !event.isListed { eventOld = [:] }
        // An insertion is undone as a whole, so what the new object held in between is nobody's concern.
        if !event.isInserted, eventOld[slot] == nil {
            eventOld[slot] =
                layout.isAttribute(slot)
                ? .attribute(currentAttribute(slot)) : .relation(relationBeforeEvent(slot))
        }
        // Known to its context already, which is so for all but the first change of an event.
        if event.isUpdated, event.isListed, marks.contains(.listed), life.isInsertedOrUpdated { return }
        managedObjectContext?.noteUpdate(self)
    }

    /// What a relationship's slot holds before an event changes it.
    ///
    /// What is to be undone has to be known by itself: the store may hold something else by then.
    private func relationBeforeEvent(_ slot: Int) -> RelationState {
        if case .rearranged = relation(slot) { return .many(toMany(slot)) }
        guard managedObjectContext?.recordsUndo == true else { return relation(slot) }
        return layout.toOnes.contains(slot) ? .one(toOne(slot)) : .many(toMany(slot))
    }
}
