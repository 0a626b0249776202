// Saving to a parent context: its objects take the changes, unsaved.

extension NSManagedObjectContext {
    func saveToParent(_ parent: NSManagedObjectContext) throws -> SavedObjects {
        var saved = SavedObjects()
        var pushes: [Push] = []
        if let error = errorOfReading({ collect(&pushes, &saved) }) { throw error }
        let sent = pushes
        parent.runAndWait { parent.accept(sent) }
        for object in saved.inserted + saved.updated {
            saved.snapshots[object.objectID] = Snapshot(
                version: object.snapshot?.version ?? 0, values: object.storedValues())
        }
        return saved
    }

    private func collect(_ pushes: inout [Push], _ saved: inout SavedObjects) {
        for object in changed where object.hasChanges {
            if object.isDeleted {
                guard !object.isInserted else { continue }
                saved.deleted.append(object)
                pushes.append(Push(object, kind: .delete))
            } else if object.isInserted {
                saved.inserted.append(object)
                pushes.append(Push(object, kind: .insert))
            } else {
                saved.updated.append(object)
                pushes.append(Push(object, kind: .update))
            }
        }
    }

    /// What a child hands up of one object: IDs and values, no objects.
    struct Push {
        enum Kind { case insert, update, delete }

        let kind: Kind
        let objectID: NSManagedObjectID
        let layout: EntityLayout
        var attributes: [(Int, PropertyValue)] = []
        var toOnes: [(Int, NSManagedObjectID?)] = []
        var toManys: [ToManyChange] = []
        /// What ordered relationships held before the child changed them, by slot.
        var bases: [Int: [NSManagedObjectID]] = [:]

        init(_ object: NSManagedObject, kind: Kind) {
            self.kind = kind
            objectID = object.objectID
            layout = object.layout
            guard kind != .delete else {
                addDepartures(of: object)
                return
            }
            let slots =
                kind == .insert
                ? Array(layout.properties.indices.filter { !layout.fetched.contains($0) })
                : object.changedSlots.slots.filter { layout.isAttribute($0) || object.differsFromSaved($0) }
            for slot in slots {
                if layout.isAttribute(slot) {
                    attributes.append((slot, object.currentAttribute(slot)))
                } else if layout.toOnes.contains(slot) {
                    toOnes.append((slot, object.toOneID(slot)))
                } else if let change = object.manyChange(slot) {
                    toManys.append(change)
                    if change.order != nil, case .many(let before)? = object.savedMany[slot] {
                        bases[slot] = before.objects.map(\.objectID)
                    }
                }
            }
        }

        /// Whom an object had left before it was deleted. They send that they are elsewhere, so a parent that
        /// follows the delete again must not find them here. What it gained since may be unknown to the parent.
        private mutating func addDepartures(of object: NSManagedObject) {
            for slot in object.changedSlots.slots where object.differsFromSaved(slot) {
                if layout.toOnes.contains(slot) {
                    toOnes.append((slot, nil))
                } else if layout.toManys.contains(slot), let change = object.manyChange(slot),
                    !change.removed.isEmpty
                {
                    toManys.append(
                        ToManyChange(slot: slot, added: [], removed: change.removed, order: nil))
                }
            }
        }
    }

    /// Takes what a child saved.
    private func accept(_ pushes: [Push]) {
        processPendingChanges()
        for push in pushes where push.kind == .insert && registry.object(push.objectID) == nil {
            let object = ObjectBirth.make(
                push.layout.objectClass, layout: push.layout, objectID: push.objectID, isFault: false)
            object.life.insert()
            object.event.noteInsert()
            registry.enter(object)
            list(object)
        }
        // The context does not keep what it read until the object is changed.
        withExtendedLifetime(recordsUndo ? readForUndo(pushes) : []) { applyAll(pushes) }
        processPendingChanges()
    }

    private func applyAll(_ pushes: [Push]) {
        for push in pushes where push.kind != .delete { apply(push) }
        for push in pushes where push.kind == .delete {
            let object = object(with: push.objectID)
            // The child has followed the relationships already, and sends what came of it.
            if !object.isDeleted {
                apply(push)
                noteDeleteFollowed(object)
            }
        }
    }

    /// Reads the lists that the pushes change or delete: once the first is applied, a list that is read leaves out
    /// what has left it, and undoing would not bring that back.
    ///
    /// - Returns: the objects that hold the lists.
    private func readForUndo(_ pushes: [Push]) -> [NSManagedObject] {
        pushes.filter { $0.kind != .insert }.map { push in
            let object = object(with: push.objectID)
            let slots = push.kind == .delete ? Array(push.layout.toManys) : push.toManys.map(\.slot)
            for slot in slots { _ = object.toMany(slot) }
            return object
        }
    }

    private func apply(_ push: Push) {
        let object = object(with: push.objectID)
        for (slot, value) in push.attributes where object.attribute(slot) != value {
            object.setAttribute(slot, value)
        }
        for (slot, objectID) in push.toOnes {
            object.noteChange(of: slot)
            object.setRelation(slot, .one(objectID.map { self.object(with: $0) }))
        }
        // Both sides are sent, so the inverse is not followed again.
        for change in push.toManys {
            object.noteChange(of: change.slot)
            var collection = object.toMany(change.slot)
            object.rememberSavedMany(change.slot)
            if let order = change.order {
                // This context may have changed the list too since the child read it.
                let merged = OrderMerge.merged(
                    base: (push.bases[change.slot] ?? []).map { self.object(with: $0) },
                    ours: order.map { self.object(with: $0) }, theirs: collection.objects)
                collection = ObjectCollection(merged, isOrdered: true)
            } else {
                for objectID in change.removed { collection.remove(self.object(with: objectID)) }
                for objectID in change.added { collection.insert(self.object(with: objectID)) }
            }
            object.setRelation(change.slot, .many(collection))
        }
    }
}
