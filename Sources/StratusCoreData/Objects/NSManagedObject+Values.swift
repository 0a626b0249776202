// How attributes are read and changed; relationships are in a file of their own.

extension NSManagedObject {
    /// The value of an attribute's slot, reading the row where the object is a fault.
    func attribute(_ slot: Int) -> PropertyValue {
        if flags.contains(.fault) { fulfil() }
        ConcurrencyCheck.check(self)
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
        if flags.contains(.fault) { fulfil() }
        ConcurrencyCheck.check(self)
        noteChange(of: slot)
        materialize()
        cells[slot] = value
    }

    /// Changes an attribute without noticing it.
    func setPrimitiveAttribute(_ slot: Int, _ value: PropertyValue) {
        if flags.contains(.fault) { fulfil() }
        materialize()
        cells[slot] = value
        // What was set while awakening is part of the object's beginning; afterwards it has to be saved.
        if flags.contains(.inserted) || !flags.contains(.quiet) { changedSlots.insert(slot) }
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
        if flags.contains(.quiet) { return }
        if flags.contains(.fault) { fulfil() }
        changedSlots.insert(slot)
        // An insertion is undone as a whole, so what the new object held in between is nobody's concern.
        if !flags.contains(.eventInserted), eventOld[slot] == nil {
            eventOld[slot] =
                layout.isAttribute(slot)
                ? .attribute(currentAttribute(slot)) : .relation(relation(slot))
        }
        guard !flags.contains(.eventUpdated) || !flags.contains(.listed) else { return }
        managedObjectContext?.noteUpdate(self)
    }
}
