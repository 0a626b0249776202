/// What a context needs to undo an event: what each object was before it.
struct ObjectUndo {
    enum Change {
        /// It was made in the event.
        case insertion
        /// It was deleted in the event.
        case deletion(wasInserted: Bool)
        /// It was changed in the event; what the slots held before.
        case update([Int: OldState])
    }

    let object: NSManagedObject
    let change: Change
}

/// The state of a context's undo.
struct UndoLog {
    /// Whether the next event is part of an undo or redo, whose flags its objects are told.
    var events: NSSnapshotEventType = []
    /// Saved objects whose deletion was taken back in this event; doing it again is deleting them.
    var resurrected: [NSManagedObject] = []
}

extension NSManagedObjectContext {
    /// Records an event with the undo manager.
    func recordForUndo(_ event: ContextEvent) {
        let resurrected = undoLog.resurrected
        undoLog.resurrected = []
        guard let undoManager, undoManager.isUndoRegistrationEnabled, !activity.contains(.merging) else { return }
        var changes: [ObjectUndo] = event.inserted.map { ObjectUndo(object: $0, change: .insertion) }
        changes += resurrected.map { ObjectUndo(object: $0, change: .insertion) }
        for object in event.updated + event.refreshed where !object.eventOld.isEmpty {
            changes.append(ObjectUndo(object: object, change: .update(object.eventOld)))
        }
        for object in event.deleted {
            if !object.eventOld.isEmpty {
                changes.append(ObjectUndo(object: object, change: .update(object.eventOld)))
            }
            let wasInserted = object.flags.contains(.gone)
            changes.append(ObjectUndo(object: object, change: .deletion(wasInserted: wasInserted)))
        }
        guard !changes.isEmpty else { return }
        undoManager.registerUndo(withTarget: self) { $0.revert(changes) }
    }

    /// Takes the changes of an event back, as an event of its own that can be undone in turn.
    private func revert(_ changes: [ObjectUndo]) {
        processPendingChanges()
        for undo in changes {
            switch undo.change {
            case .insertion:
                undo.object.flags.insert([.deleted, .eventDeleted, .propagated])
                list(undo.object)
                undo.object.awake(fromSnapshotEvents: .undoInsertion)
            case .deletion(let wasInserted):
                let object = undo.object
                object.flags.remove([.deleted, .propagated, .gone, .eventDeleted])
                if wasInserted {
                    object.flags.insert([.inserted, .eventInserted])
                } else {
                    undoLog.resurrected.append(object)
                }
                if object.managedObjectContext == nil {
                    object.managedObjectContext = self
                    register(object)
                }
                object.flags.insert(wasInserted ? .eventInserted : .eventUpdated)
                if !wasInserted, !object.changedSlots.isEmpty { object.flags.insert(.updated) }
                list(object)
                object.awake(fromSnapshotEvents: .undoDeletion)
            case .update(let old): restore(undo.object, old)
            }
        }
        processPendingChanges()
    }

    private func restore(_ object: NSManagedObject, _ old: [Int: OldState]) {
        for (slot, state) in old {
            object.noteChange(of: slot)
            switch state {
            case .attribute(let value):
                object.materialize()
                object.cells[slot] = value
            case .relation(let relation):
                if object.layout.toManys.contains(slot) { object.rememberSavedMany(slot) }
                object.setRelation(slot, relation)
            }
        }
        object.awake(fromSnapshotEvents: .undoUpdate)
        // An object that is again what was saved has nothing to save.
        if !object.isInserted, object.storedChanges().isEmpty {
            object.changedSlots = []
            object.flags.remove(.updated)
        }
    }

    /// Takes the last event back.
    public func undo() {
        processPendingChanges()
        undoManager?.undo()
    }

    /// Does again what was taken back last.
    public func redo() {
        processPendingChanges()
        undoManager?.redo()
    }
}
