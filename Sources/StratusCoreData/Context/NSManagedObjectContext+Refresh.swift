// Forgetting: one object's values, one's changes, all changes, everything.

extension NSManagedObjectContext {
    /// Reads an object again at the next look, and keeps its unsaved changes where asked.
    func reread(_ object: NSManagedObject, keepingChanges flag: Bool) {
        ConcurrencyCheck.check(self)
        guard object.managedObjectContext === self else { return }
        guard !object.isInserted else { return flag ? () : object.turnInsertIntoFault() }
        if flag, object.hasChanges {
            if let row = (try? row(of: object.objectID)) ?? nil, let snapshot = row.snapshot {
                object.take(snapshot, keepingChanges: true)
            }
        } else {
            replacingValues {
                object.turnIntoFault()
                object.life.revert()
            }
        }
        object.event.noteRefresh()
        object.awakeQuietly { object.awake(fromSnapshotEvents: .refresh) }
        list(object)
    }

    /// Reads all objects again at the next look, keeping unsaved changes.
    func rereadAll() {
        for object in registry.all where !object.isInserted && !(object.isFault && object.snapshot == nil) {
            refresh(object, mergeChanges: true)
        }
        processPendingChanges()
    }

    /// Forgets all objects and all changes.
    func forgetAll() {
        ConcurrencyCheck.check(self)
        var objectIDs: [NSManagedObjectID] = []
        registry.leaveAll { object in
            objectIDs.append(object.objectID)
            // What was read is forgotten; an object without a context has nowhere to read it from again.
            object.life.forget()
            object.event = EventMarks()
            object.marks.formIntersection([.tracked, .watched])
            object.cells = []
            object.snapshot = nil
            object.letGo()
        }
        clearRegistry()
        assignedStores = [:]
        unfollowedDeletes = []
        pending.reset()
        undoManager?.removeAllActions()
        repin()
        assert(pending.isConsistent, "A reset leaves nothing pending.")
        publish(ContextEvent(invalidatesAll: true, invalidatedIDs: objectIDs))
    }

    /// Takes all unsaved changes back.
    func takeChangesBack() {
        ConcurrencyCheck.check(self)
        processPendingChanges()
        let objects = pending.takeAll()
        unfollowedDeletes = []
        activity.insert(.merging)
        replaced = replaced ?? []
        var event = ContextEvent()
        for object in objects {
            if object.isInserted {
                event.deleted.append(object)
                drop(object)
                object.letGo()
            } else if object.hasChanges {
                object.life.revert()
                if let snapshot = object.snapshot {
                    object.forgetChanges()
                    object.take(snapshot, keepingChanges: false)
                    for slot in object.layout.transients where !object.cells.isEmpty {
                        object.cells[slot] = object.layout.defaults[slot]
                    }
                } else {
                    object.turnIntoFault()
                }
                object.awakeQuietly { object.awake(fromSnapshotEvents: .rollback) }
                event.refreshed.append(object)
            }
        }
        for object in event.refreshed { object.reappear() }
        activity.remove(.merging)
        announceReplaced()
        undoManager?.removeAllActions()
        assert(pending.isConsistent, "A rollback leaves nothing pending but what its hooks did.")
        if !event.isEmpty { publish(event) }
        for object in event.refreshed { object.eventOldAfterEvent() }
    }
}

extension NSManagedObject {
    /// Makes the objects that this one leads to again read their side again where it lacks this one: while it was to be
    /// deleted, or led elsewhere, they may have been read without it, after others' changes above all.
    fileprivate func reappear() {
        guard let registry = managedObjectContext?.registry else { return }
        for slot in layout.toOnes {
            guard let inverse = layout.relationshipDescriptions[slot]?.inverseRelationship,
                let other = toOneID(slot).flatMap(registry.object),
                let back = other.layout.slots[inverse.name], !other.changedSlots.contains(back),
                !other.relations.isEmpty
            else { continue }
            switch other.relation(back) {
            case .many(let collection) where collection.contains(self): continue
            case .one(let object) where object === self: continue
            default:
                other.setRelation(back, .unknown)
                other.savedMany[back] = nil
            }
        }
    }
}
