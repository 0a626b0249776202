/// What a context needs to undo an event: what each object was before it.
struct ObjectUndo {
    enum Change {
        /// It was made in the event.
        case insertion
        /// It was deleted in the event; what it held then.
        case deletion(wasInserted: Bool, ObjectMemento)
        /// It was changed in the event; what the slots held before.
        case update([Int: OldState])
    }

    let object: NSManagedObject
    let change: Change
}

/// What an object held at one moment, by itself: it does not depend on a store that changes.
struct ObjectMemento {
    /// Attributes by slot; others are null.
    let values: [PropertyValue]
    /// From the first to-one slot on; empty where nothing was known.
    let relations: [RelationState]

    init(_ object: NSManagedObject) {
        // One that was never read has to be read now: its row may be gone when it is needed.
        if object.isFault, object.managedObjectContext != nil { object.fulfil() }
        let layout = object.layout
        values = layout.properties.indices.map {
            layout.isAttribute($0) ? object.currentAttribute($0) : .null
        }
        // A to-one relationship that was never looked at is in the row.
        if let context = object.managedObjectContext {
            for slot in layout.toOnes {
                guard case .unknown = object.relation(slot),
                    case .reference(let objectID)? = object.snapshot?.value(slot, layout)
                else { continue }
                object.setRelation(slot, .one(context.object(with: objectID)))
            }
        }
        relations = object.relations
    }
}

extension NSManagedObjectContext {
    /// Whether changes are recorded, so that they can be undone.
    var recordsUndo: Bool { undoManager?.isUndoRegistrationEnabled == true && !activity.contains(.merging) }

    /// Records an event with the undo manager.
    func recordForUndo(_ event: ContextEvent) {
        guard let undoManager, recordsUndo else { return }
        var changes: [ObjectUndo] = event.inserted.map { ObjectUndo(object: $0, change: .insertion) }
        for object in event.updated + event.refreshed where !object.eventOld.isEmpty {
            changes.append(ObjectUndo(object: object, change: .update(object.eventOld)))
        }
        for object in event.deleted {
            let wasInserted = object.life.isGone
            let memento = ObjectMemento(object)
            changes.append(
                ObjectUndo(object: object, change: .deletion(wasInserted: wasInserted, memento)))
            if !object.eventOld.isEmpty {
                changes.append(ObjectUndo(object: object, change: .update(object.eventOld)))
            }
        }
        guard !changes.isEmpty else { return }
        undoManager.registerUndo(withTarget: self) { $0.revert(changes) }
    }

    /// Takes the changes of an event back, as an event of its own that can be undone in turn.
    private func revert(_ changes: [ObjectUndo]) {
        processPendingChanges()
        // All of what redo needs is noted before anything changes: a list that is read after an object has left it
        // leaves that object out.
        for undo in changes where undo.object.managedObjectContext === self {
            switch undo.change {
            // Its row does not hold its lists, which were never read where it was refreshed since.
            case .insertion: for slot in undo.object.layout.toManys { _ = undo.object.toMany(slot) }
            // One that comes back with this undo goes again with its redo, as a whole.
            case .update(let old) where !undo.object.isDeleted:
                for slot in old.keys { undo.object.noteChange(of: slot) }
            default: break
            }
        }
        for undo in changes {
            let object = undo.object
            switch undo.change {
            case .insertion:
                guard object.managedObjectContext === self else { continue }
                noteDeleteFollowed(object)
                object.awakeQuietly { object.awake(fromSnapshotEvents: .undoInsertion) }
            case .deletion(let wasInserted, let memento):
                bringBack(object, wasInserted: wasInserted, memento)
                object.awakeQuietly { object.awake(fromSnapshotEvents: .undoDeletion) }
            case .update(let old):
                guard object.managedObjectContext === self else { continue }
                restore(object, old)
            }
        }
        processPendingChanges()
    }

    /// Takes a delete back. An object whose delete was saved is written again by the next save, under its ID.
    private func bringBack(_ object: NSManagedObject, wasInserted: Bool, _ memento: ObjectMemento) {
        let isLost = object.managedObjectContext == nil
        object.event.forgetDelete()
        // For whoever shows a list the object is there again.
        object.event.noteInsert()
        if isLost {
            object.life.takeValues()
            object.life.bringBack(as: .new)
            registry.enter(object)
            object.snapshot = nil
            object.cells = memento.values
            object.relations = memento.relations
            object.forgetChanges()
            for slot in 0..<object.layout.fetched.lowerBound { object.changedSlots.insert(slot) }
        } else if wasInserted {
            object.life.bringBack(as: .new)
        } else {
            object.life.bringBack(as: object.changedSlots.isEmpty ? .saved : .changed)
        }
        list(object)
    }

    private func restore(_ object: NSManagedObject, _ old: [Int: OldState]) {
        for (slot, state) in old {
            object.noteChange(of: slot)
            switch state {
            case .attribute(let value):
                object.materialize()
                object.cells[slot] = value
            case .relation(let relation):
                if object.layout.toManys.contains(slot) {
                    // A list that a refresh forgot is read again: what differs from it is what a save writes.
                    if !object.isInserted { _ = object.toMany(slot) }
                    object.rememberSavedMany(slot)
                }
                object.setRelation(slot, relation)
            }
        }
        object.awakeQuietly { object.awake(fromSnapshotEvents: .undoUpdate) }
        // An object that is again what was saved has nothing to save.
        if !object.isInserted, object.storedChanges().isEmpty {
            object.changedSlots = []
            object.savedMany = [:]
            object.life.unchange()
        }
    }
}
