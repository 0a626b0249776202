extension NSManagedObject {
    /// Reads the row of a fault.
    ///
    /// A row that has vanished makes the object all empty and deleted, where the context allows that (it does by
    /// default); otherwise it stops the program, as on Apple's platforms.
    func fulfil() {
        guard life.isFault else { return }
        life.fulfil()
        // Nothing was saved that could be read again: a new object still has its values.
        guard !life.isInserted else { return }
        if snapshot == nil {
            guard let context = managedObjectContext else {
                life.missRow()
                return
            }
            do {
                snapshot = try context.row(of: objectID)?.snapshot
            } catch {
                context.report(error, "reading \(objectID)")
                // It is not known to be gone: the next look reads again.
                life.turnIntoFault()
                return
            }
            guard snapshot != nil else { return context.foundInaccessible(self) }
        }
        awakeQuietly { awakeFromFetch() }
    }

    /// Runs a hook whose changes are part of the object's beginning.
    func awakeQuietly(_ hook: () -> Void) {
        let wasQuiet = marks.contains(.quiet)
        marks.insert(.quiet)
        hook()
        if !wasQuiet { marks.remove(.quiet) }
    }

    /// Forgets the values, so that the next look reads them again.
    func turnIntoFault(keeping row: Snapshot? = nil) {
        guard !life.isFault, !objectID.isTemporary || managedObjectContext?.parent != nil else {
            return
        }
        defer { announceReplacement() }
        willTurnIntoFault()
        forgetChanges()
        cells = []
        relations = []
        snapshot = row
        life.turnIntoFault()
        didTurnIntoFault()
    }

    /// A new object that is refreshed without its changes: a fault until the next look, and then as it was.
    ///
    /// That it becomes a fault, and can be fulfilled, is what suites expect
    /// (https://github.com/alemar11/CoreDataPlus, NSManagedObjectUtils_Tests.swift, test_FaultAndMaterialize). There is no row
    /// to read, and throwing the only copy of its values away would be a loss, so they stay.
    func turnInsertIntoFault() {
        guard !life.isFault else { return }
        willTurnIntoFault()
        life.turnIntoFault()
        didTurnIntoFault()
    }

    /// Lets go of other objects, so that objects that lead to each other do not keep each other alive.
    func letGo() {
        relations = []
        forgetChanges()
    }

    /// Forgets that anything was changed; the values stay.
    func forgetChanges() {
        changedSlots = []
        primitiveSlots = []
        eventOld = [:]
        savedMany = [:]
    }

    /// Takes another row, and drops what was cached of the former one; changed slots keep their changes where
    /// asked.
    func take(_ row: Snapshot, keepingChanges: Bool) {
        if life.isFault {
            snapshot = row
            return
        }
        defer { announceReplacement() }
        guard keepingChanges, !changedSlots.isEmpty else {
            snapshot = row
            let transients = layout.transients
            if !cells.isEmpty, !transients.isEmpty {
                for slot in layout.attributes { cells[slot] = row.value(slot, layout) }
            } else {
                cells = []
            }
            relations = []
            forgetChanges()
            return
        }
        for slot in layout.attributes where !cells.isEmpty && !changedSlots.contains(slot) {
            cells[slot] = row.value(slot, layout)
        }
        snapshot = row
        guard !relations.isEmpty else { return }
        for slot in layout.toOnes.lowerBound..<layout.toManys.upperBound where !changedSlots.contains(slot) {
            setRelation(slot, .unknown)
        }
        for slot in layout.toManys where changedSlots.contains(slot) { rebase(slot) }
    }

    /// Puts the changes of a to-many slot on top of what the store holds now.
    ///
    /// The objects themselves are kept, not their IDs: one that was dropped may have a permanent ID, since an undo of a
    /// saved delete gave it back its own, and looking that up would make a second object without a row.
    private func rebase(_ slot: Int) {
        // Nobody has looked since the last time: it is put together with whatever the store holds then.
        if case .rearranged = relation(slot) { return }
        guard let change = manyChange(slot) else {
            // Changed and changed back: what is there now is for the store to say.
            savedMany[slot] = nil
            return setRelation(slot, .unknown)
        }
        guard change.order == nil else { return rebaseOrder(slot) }
        var gained: [NSManagedObject] = []
        var lost: [NSManagedObject] = []
        switch relation(slot) {
        case .pending(let added, let removed): (gained, lost) = (added, removed)
        case .many(let now):
            if case .many(let before)? = savedMany[slot] {
                gained = now.objects.filter { !before.contains($0) }
                lost = before.objects.filter { !now.contains($0) }
            }
        default: break
        }
        // What was dropped with a deleted object comes back with it when the delete is undone, so it still leads there.
        if !isDeleted {
            gained.removeAll(where: hasLeftContext)
            lost.removeAll(where: hasLeftContext)
        }
        savedMany[slot] = nil
        setRelation(slot, .pending(added: gained, removed: lost))
    }

    /// The same for a list with an order, which is put together with the store's when somebody looks: the store may be
    /// in the middle of reading rows.
    private func rebaseOrder(_ slot: Int) {
        guard case .many(let now) = relation(slot) else { return }
        var base: [NSManagedObject] = []
        if case .many(let before)? = savedMany[slot] { base = before.objects }
        var ours = now.objects
        if !isDeleted {
            ours.removeAll(where: hasLeftContext)
            base.removeAll(where: hasLeftContext)
        }
        savedMany[slot] = nil
        setRelation(slot, .rearranged(ours: ours, base: base))
    }

    /// Whether another object has left this one's context.
    private func hasLeftContext(_ other: NSManagedObject) -> Bool {
        other.managedObjectContext !== managedObjectContext
    }

    /// What a fetched property finds.
    func fetchedObjects(_ slot: Int) -> Any? {
        guard let context = managedObjectContext,
            let property = layout.properties[slot] as? NSFetchedPropertyDescription,
            let request = property.fetchRequest?.copied()
        else { return nil }
        if let predicate = request.predicate {
            request.predicate = predicate.withSubstitutionVariables([
                "FETCH_SOURCE": self, "FETCHED_PROPERTY": property,
            ])
        }
        do {
            return try context.results(of: request)
        } catch {
            context.report(error, "fetching \(entity.name ?? "?").\(property.name)")
            return []
        }
    }
}
