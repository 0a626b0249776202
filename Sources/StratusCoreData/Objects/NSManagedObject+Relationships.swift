// How relationships are read and changed. Setting one side keeps the other; primitive changes do not.

extension NSManagedObject {
    /// What is known of a relationship's slot.
    func relation(_ slot: Int) -> RelationState {
        relations.isEmpty ? .unknown : relations[slot - layout.toOnes.lowerBound]
    }

    func setRelation(_ slot: Int, _ state: RelationState) {
        if relations.isEmpty {
            relations = Array(repeating: .unknown, count: layout.toOnes.count + layout.toManys.count)
        }
        relations[slot - layout.toOnes.lowerBound] = state
    }

    /// What a to-one relationship leads to.
    func toOne(_ slot: Int) -> NSManagedObject? {
        ConcurrencyCheck.check(self)
        if life.isFault { fulfil() }
        if case .one(let object) = relation(slot) { return object }
        if marks.contains(.probe) { return KeyPathProbe.next(self, slot) }
        guard case .reference(let objectID)? = snapshot?.value(slot, layout),
            let object = managedObjectContext?.object(with: objectID)
        else {
            return nil
        }
        setRelation(slot, .one(object))
        return object
    }

    /// The ID that a to-one relationship leads to, without making the object.
    func toOneID(_ slot: Int) -> NSManagedObjectID? {
        if case .one(let object) = relation(slot) { return object?.objectID }
        if case .reference(let objectID)? = snapshot?.value(slot, layout) { return objectID }
        return nil
    }

    /// What a to-many relationship leads to, reading it from the store the first time. What cannot be read counts as empty,
    /// and the next look reads again.
    func toMany(_ slot: Int) -> ObjectCollection {
        ConcurrencyCheck.check(self)
        if life.isFault { fulfil() }
        let state = relation(slot)
        if case .many(let collection) = state { return collection }
        let isOrdered = layout.relationshipDescriptions[slot]?.isOrdered ?? false
        guard let stored = storedDestinations(slot) else {
            switch state {
            case .pending(let added, _): return ObjectCollection(added, isOrdered: isOrdered)
            case .rearranged(let ours, _): return ObjectCollection(ours, isOrdered: isOrdered)
            default: return ObjectCollection([], isOrdered: isOrdered)
            }
        }
        var collection = ObjectCollection(stored, isOrdered: isOrdered)
        // Objects that this context is to delete are in the store still, but not here any more; those whose
        // delete is being followed are taken out one by one. An object that is deleted itself still leads to
        // those that were deleted with it: an undo brings all of them back.
        let inverse = layout.relationshipDescriptions[slot]?.inverseRelationship
        let doomed = stored.filter { object in
            (object.life.isDeleteFollowed && !object.event.isDeleted && !isDeleted)
                || hasLeft(object, inverse)
        }
        if !doomed.isEmpty {
            if savedMany[slot] == nil { savedMany[slot] = .many(collection) }
            for object in doomed { collection.remove(object) }
        }
        if case .pending(let added, let removed) = state {
            if savedMany[slot] == nil { savedMany[slot] = .many(collection) }
            for object in removed { collection.remove(object) }
            for object in added { collection.insert(object) }
        }
        if case .rearranged(let ours, let base) = state {
            if savedMany[slot] == nil { savedMany[slot] = .many(collection) }
            let merged = OrderMerge.merged(base: base, ours: ours, theirs: collection.objects)
            collection = ObjectCollection(merged, isOrdered: true)
        }
        setRelation(slot, .many(collection))
        return collection
    }

    /// What the store, or the parent context, says that a to-many relationship leads to; objects that this
    /// context is to delete too. Nil where it cannot be read.
    private func storedDestinations(_ slot: Int) -> [NSManagedObject]? {
        guard !life.isInaccessible, let context = managedObjectContext,
            !objectID.isTemporary || context.parent != nil, snapshot != nil,
            let relationship = layout.relationshipDescriptions[slot]
        else { return [] }
        do {
            return try context.destinations(of: relationship, from: objectID)
                .map { context.object(with: $0) }
        } catch let error as CocoaError where error.errorCode == 133000 {
            // The object is gone, and leads nowhere.
            return []
        } catch {
            context.report(error, "reading \(layout.entity.name ?? "?").\(relationship.name)")
            return nil
        }
    }

    /// Whether an unsaved change has led an object elsewhere that the store still says leads here.
    private func hasLeft(_ object: NSManagedObject, _ inverse: NSRelationshipDescription?) -> Bool {
        guard let inverse, !inverse.isToMany, !object.changedSlots.isEmpty,
            let back = object.layout.slots[inverse.name], object.changedSlots.contains(back)
        else { return false }
        return object.toOneID(back) != objectID
    }

    /// Stops the program, with Apple's sentences, where a relationship cannot lead to an object: one of another
    /// entity, or of another context.
    private func requireFit(_ object: NSManagedObject, _ slot: Int) {
        guard let relationship = layout.relationshipDescriptions[slot] else { return }
        if let destination = relationship.destinationEntity,
            !destination.layout.family.contains(object.layout.number)
        {
            fatalError(
                "Unacceptable type of value for the relationship \(entity.name ?? "?").\(relationship.name): it leads to "
                    + "\(destination.name ?? "?"), and was given a \(object.entity.name ?? "?").")
        }
        if isElsewhere(object) {
            fatalError(
                "Illegal attempt to establish a relationship '\(relationship.name)' between objects in different contexts. "
                    + "Look the other one up here: context.object(with: other.objectID).")
        }
    }

    // MARK: Changes that keep the other side

    /// Sets a to-one relationship and its inverse.
    func setToOne(_ slot: Int, _ newValue: NSManagedObject?) {
        let old = toOne(slot)
        guard old !== newValue else { return }
        if let newValue { requireFit(newValue, slot) }
        changeToOne(slot, newValue)
        guard let inverse = inverseOf(slot) else { return }
        if let old { old.forget(self, inverse) }
        if let newValue { newValue.accept(self, inverse) }
    }

    /// Adds to a to-many relationship, and sets the inverse.
    func addToMany(_ slot: Int, _ object: NSManagedObject) {
        requireFit(object, slot)
        guard !holds(object, slot) else { return }
        gain(object, slot)
        if let inverse = inverseOf(slot) { object.accept(self, inverse) }
    }

    /// Takes away from a to-many relationship, and from the inverse.
    func removeFromMany(_ slot: Int, _ object: NSManagedObject) {
        guard holds(object, slot) else { return }
        lose(object, slot)
        if let inverse = inverseOf(slot) { object.forget(self, inverse) }
    }

    /// Sets all of a to-many relationship, in order where it has one.
    func setToMany(_ slot: Int, _ objects: [NSManagedObject]) {
        let old = toMany(slot)
        let new = ObjectCollection(objects, isOrdered: old.isOrdered)
        for object in old.objects where !new.contains(object) { removeFromMany(slot, object) }
        for object in new.objects where !old.contains(object) { addToMany(slot, object) }
        guard old.isOrdered else { return }
        reorder(slot, new)
    }

    /// Sets the order of a to-many relationship whose members are right already.
    func reorder(_ slot: Int, _ collection: ObjectCollection) {
        let current = toMany(slot).objects
        guard !current.elementsEqual(collection.objects, by: { $0 === $1 }) else { return }
        rememberSavedMany(slot)
        noteChange(of: slot)
        setRelation(slot, .many(collection))
    }

    private func inverseOf(_ slot: Int) -> NSRelationshipDescription? {
        layout.relationshipDescriptions[slot]?.inverseRelationship
    }

    /// Takes an object at this side, since it took this one at its own.
    func accept(_ object: NSManagedObject, _ inverse: NSRelationshipDescription) {
        guard let slot = layout.slots[inverse.name] else { return }
        if inverse.isToMany {
            gain(object, slot)
        } else {
            let previous = toOne(slot)
            guard previous !== object else { return }
            changeToOne(slot, object)
            // Its former partner loses it.
            if let previous, let back = inverse.inverseRelationship { previous.forget(self, back) }
        }
    }

    /// Loses an object at this side, since it lost this one at its own or is deleted.
    func forget(_ object: NSManagedObject, _ inverse: NSRelationshipDescription) {
        guard let slot = layout.slots[inverse.name] else { return }
        if inverse.isToMany {
            lose(object, slot)
        } else if toOne(slot) === object {
            changeToOne(slot, nil)
        }
    }

    /// Whether the other side of a relationship that leads here from an object leads back to it.
    ///
    /// An object that an undo deleted keeps its lists for the redo, while those in them have what they had before. A
    /// merge that follows the delete again must not take them along.
    func leads(to object: NSManagedObject, by relationship: NSRelationshipDescription) -> Bool {
        guard let inverse = relationship.inverseRelationship, !inverse.isToMany,
            let slot = layout.slots[inverse.name]
        else { return true }
        return toOne(slot) === object
    }

    private func changeToOne(_ slot: Int, _ object: NSManagedObject?) {
        // The other side is noted for undo as it was with this object in it.
        if managedObjectContext?.recordsUndo == true, let inverse = inverseOf(slot), inverse.isToMany,
            let old = toOne(slot), let place = old.layout.slots[inverse.name]
        {
            _ = old.toMany(place)
        }
        noteChange(of: slot)
        setRelation(slot, .one(object))
    }

    private func holds(_ object: NSManagedObject, _ slot: Int) -> Bool {
        // Where the inverse is to-one it decides, and this side need not be read.
        if let inverse = inverseOf(slot), !inverse.isToMany, let back = object.layout.slots[inverse.name],
            layout.relationshipDescriptions[slot]?.isOrdered != true
        {
            return object.toOne(back) === self
        }
        return toMany(slot).contains(object)
    }

    private func gain(_ object: NSManagedObject, _ slot: Int) {
        if life.isFault { fulfil() }
        noteChange(of: slot)
        rememberSavedMany(slot)
        if change(slot, { $0.insert(object) }) { return }
        switch relation(slot) {
        case .pending(var added, var removed):
            setRelation(slot, .unknown)
            if let place = removed.firstIndex(where: { $0 === object }) {
                removed.remove(at: place)
            } else if !added.contains(where: { $0 === object }) {
                added.append(object)
            }
            setRelation(slot, .pending(added: added, removed: removed))
        case .rearranged(let ours, let base):
            setRelation(slot, .rearranged(ours: ours.filter { $0 !== object } + [object], base: base))
        default: setRelation(slot, .pending(added: [object], removed: []))
        }
    }

    private func lose(_ object: NSManagedObject, _ slot: Int) {
        if life.isFault { fulfil() }
        // A delete that is followed again, after a merge, takes nothing away that is gone: no change, no undo.
        guard mayHold(object, slot) else { return }
        noteChange(of: slot)
        rememberSavedMany(slot)
        if change(slot, { $0.remove(object) }) { return }
        switch relation(slot) {
        case .pending(var added, var removed):
            setRelation(slot, .unknown)
            if let place = added.firstIndex(where: { $0 === object }) {
                added.remove(at: place)
            } else if !removed.contains(where: { $0 === object }) {
                removed.append(object)
            }
            setRelation(slot, .pending(added: added, removed: removed))
        case .rearranged(let ours, let base):
            setRelation(slot, .rearranged(ours: ours.filter { $0 !== object }, base: base))
        default: setRelation(slot, .pending(added: [], removed: [object]))
        }
    }

    /// Whether an object may be in a to-many slot, as far as that is known without reading more than undo needs.
    private func mayHold(_ object: NSManagedObject, _ slot: Int) -> Bool {
        switch relation(slot) {
        case .many(let collection): return collection.contains(object)
        case .pending(_, let removed) where removed.contains { $0 === object }: return false
        default: return managedObjectContext?.recordsUndo != true || toMany(slot).contains(object)
        }
    }

    /// Changes the objects of a to-many slot where they are known as a whole; ordered ones, and those of new
    /// objects, always are.
    ///
    /// - Returns: whether they are known.
    private func change(_ slot: Int, _ edit: (inout ObjectCollection) -> Void) -> Bool {
        guard isKnown(slot) || needsAll(slot) else { return false }
        if !isKnown(slot) {
            _ = toMany(slot)
            rememberSavedMany(slot)
            // What could not be read keeps the changes that are noted already.
            guard isKnown(slot) else { return false }
        }
        let place = slot - layout.toOnes.lowerBound
        // Nothing else may hold the collection while it is changed, or each change copies it.
        guard var collection = relations[place].takeMany() else { return false }
        edit(&collection)
        relations[place] = .many(collection)
        return true
    }

    private func isKnown(_ slot: Int) -> Bool { if case .many = relation(slot) { true } else { false } }

    private func needsAll(_ slot: Int) -> Bool {
        if snapshot == nil || layout.relationshipDescriptions[slot]?.isOrdered == true { return true }
        // A long list of changes is searched in vain; then reading the rest is cheaper.
        if case .pending(let added, let removed) = relation(slot) { return added.count + removed.count > 64 }
        return false
    }

    /// Keeps what a to-many slot held at the last save, before its first change.
    func rememberSavedMany(_ slot: Int) {
        guard savedMany[slot] == nil, !life.isInserted else { return }
        if case .many = relation(slot) { savedMany[slot] = relation(slot) }
    }
}
