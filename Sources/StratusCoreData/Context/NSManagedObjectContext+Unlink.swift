extension NSManagedObjectContext {
    /// Takes an object that others deleted out of the relationships of the objects here.
    ///
    /// What was read from the store is only put right; a change of this context that leads to the object becomes a
    /// change that leads nowhere, since it can be saved no more.
    func unlink(_ object: NSManagedObject) {
        for slot in object.layout.toOnes {
            guard let inverse = object.layout.relationshipDescriptions[slot]?.inverseRelationship,
                let other = known(object, slot)
            else { continue }
            other.lose(deleted: object, inverse)
        }
        for slot in object.layout.toManys {
            guard let inverse = object.layout.relationshipDescriptions[slot]?.inverseRelationship else {
                continue
            }
            let others: [NSManagedObject] =
                switch object.relation(slot) {
                case .many(let collection): collection.objects
                case .pending(let added, _): added
                case .rearranged(let ours, _): ours
                default: []
                }
            for other in others { other.lose(deleted: object, inverse) }
        }
    }

    /// Takes objects that others deleted, and that were never read here, out of the relationships of the objects
    /// here: one look at all of those, since nothing says which ones lead to them.
    func unlinkUnread(_ objects: Set<NSManagedObject>) {
        guard !objects.isEmpty else { return }
        let roots = Set(objects.map(\.layout.rootNumber))
        for other in registry.all where !other.relations.isEmpty && !objects.contains(other) {
            for slot in other.layout.toOnes.lowerBound..<other.layout.toManys.upperBound {
                guard let relationship = other.layout.relationshipDescriptions[slot],
                    relationship.inverseRelationship != nil, let destination = relationship.destinationEntity,
                    roots.contains(destination.layout.rootNumber)
                else { continue }
                let lost: [NSManagedObject] =
                    switch other.relation(slot) {
                    case .one(let object?): objects.contains(object) ? [object] : []
                    case .many(let collection): collection.objects.filter(objects.contains)
                    case .pending(let added, _): added.filter(objects.contains)
                    case .rearranged(let ours, _): ours.filter(objects.contains)
                    default: []
                    }
                for object in lost { other.lose(deleted: object, relationship) }
            }
        }
    }

    /// What a to-one relationship leads to, where that is known without reading anything.
    private func known(_ object: NSManagedObject, _ slot: Int) -> NSManagedObject? {
        if case .one(let other) = object.relation(slot) { return other }
        guard case .reference(let objectID)? = object.snapshot?.value(slot, object.layout) else { return nil }
        return registry.object(objectID)
    }
}

extension NSManagedObject {
    /// An object at the other side was deleted by others.
    fileprivate func lose(deleted object: NSManagedObject, _ relationship: NSRelationshipDescription) {
        guard let slot = layout.slots[relationship.name], !isFault || hasChanges else { return }
        if !relationship.isToMany {
            guard toOneID(slot) == object.objectID else { return }
            if isInserted || changedSlots.contains(slot) { noteChange(of: slot) }
            setRelation(slot, .one(nil))
            return
        }
        if case .many(var saved)? = savedMany[slot] {
            saved.remove(object)
            savedMany[slot] = .many(saved)
        }
        switch relation(slot) {
        case .many(var collection):
            collection.remove(object)
            setRelation(slot, .many(collection))
        case .pending(var added, var removed):
            added.removeAll { $0 === object }
            removed.removeAll { $0 === object }
            setRelation(slot, .pending(added: added, removed: removed))
        case .rearranged(var ours, var base):
            ours.removeAll { $0 === object }
            base.removeAll { $0 === object }
            setRelation(slot, .rearranged(ours: ours, base: base))
        default: break
        }
    }
}
