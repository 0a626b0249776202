// Deleting objects, and what follows for others.

extension NSManagedObjectContext {
    /// Marks an object for deletion, after its hook has run.
    func markDeleted(_ object: NSManagedObject) {
        ConcurrencyCheck.check(self)
        guard object.managedObjectContext === self, !object.life.isDeleting else { return }
        // The hook runs at each call, also for an object that is to be deleted already.
        object.life.beginDelete()
        object.prepareForDeletion()
        object.life.endDelete()
        guard object.managedObjectContext === self, !object.isDeleted else { return }
        object.life.delete()
        object.event.noteDelete()
        list(object)
    }

    /// Marks an object for deletion whose other sides know, or are told by whoever calls.
    func noteDeleteFollowed(_ object: NSManagedObject) {
        object.life.deleteFollowed()
        object.event.noteDelete()
        list(object)
    }

    /// Takes the delete of an object back.
    func resurrect(_ object: NSManagedObject) {
        object.life.undelete()
        object.event.forgetDelete()
        list(object)
    }

    /// Follows the deletes of this event to the other sides of their relationships, until there are no more.
    ///
    /// - Parameter ofNewObjectsOnly: whether the others wait for the save; a new object is gone by then.
    func propagateDeletes(ofNewObjectsOnly: Bool = false) {
        while true {
            let open = pending.ofEvent.filter {
                $0.isDeleted && !$0.life.isDeleteFollowed && !$0.life.isInaccessible
                    && (!ofNewObjectsOnly || $0.life.isInserted)
            }
            if open.isEmpty { return }
            for object in open { propagateDelete(of: object) }
        }
    }

    /// Deletes that waited for the save.
    func propagateAllDeletes() {
        for object in changed where object.isDeleted && !object.life.isDeleteFollowed { list(object) }
        propagateDeletes()
    }

    /// Lets the next save follow deletes again that met what could not be read.
    func followFailedDeletesAgain() {
        for (object, _) in unfollowedDeletes where isToBeDeleted(object) && object.life.isDeleteFollowed {
            object.life.followDeleteAgain()
        }
        unfollowedDeletes = []
    }

    /// What keeps deletes from being saved: whom their rules concern is not known.
    var errorsOfDeletes: [any Error] { unfollowedDeletes.filter { isToBeDeleted($0.object) }.map(\.error) }

    private func isToBeDeleted(_ object: NSManagedObject) -> Bool {
        object.managedObjectContext === self && object.isDeleted
    }

    private func propagateDelete(of object: NSManagedObject) {
        object.life.followDelete()
        if let error = errorOfReading({ followRelationships(of: object) }) {
            unfollowedDeletes.append((object, error))
        }
    }

    private func followRelationships(of object: NSManagedObject) {
        for slot in object.layout.toOnes.lowerBound..<object.layout.toManys.upperBound {
            guard let relationship = object.layout.relationshipDescriptions[slot] else { continue }
            let others = related(object, slot, relationship)
            guard !others.isEmpty else { continue }
            if relationship.deleteRule == .cascadeDeleteRule {
                for other in others where !other.isDeleted && other.leads(to: object, by: relationship) {
                    delete(other)
                }
            }
            nullify(object, slot, others, relationship)
        }
    }

    /// The other sides that hear of a delete. Denied deletes fail when the object is validated, and no action leaves the other
    /// side as it is; but nothing may lead to an object that was never saved and is gone.
    private func related(
        _ object: NSManagedObject, _ slot: Int, _ relationship: NSRelationshipDescription
    ) -> [NSManagedObject] {
        let isFollowed = ![.noActionDeleteRule, .denyDeleteRule].contains(relationship.deleteRule)
        guard isFollowed || object.life.isInserted else { return [] }
        if relationship.isToMany { return object.toMany(slot).objects }
        return object.toOne(slot).map { [$0] } ?? []
    }

    /// Empties the inverse at the other sides. The deleted object keeps what it knew, for its last look.
    private func nullify(
        _ object: NSManagedObject, _ slot: Int, _ others: [NSManagedObject],
        _ relationship: NSRelationshipDescription
    ) {
        guard let inverse = relationship.inverseRelationship else { return }
        for other in others where !(other.isDeleted && other.life.isDeleteFollowed) {
            other.forget(object, inverse)
        }
    }
}
