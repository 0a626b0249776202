// Derived values are computed by the store when a save has written the rest.

extension NSManagedObjectContext {
    /// What a save changed beyond what was saved: objects that have other derived values now, and takes the rows of
    /// those that were not saved themselves. To be asked before the saved objects take their rows.
    func takeDerived(_ saved: SavedObjects) -> ContextEvent {
        var event = ContextEvent()
        event.isMerge = true
        for objectID in saved.derived {
            guard let row = saved.snapshots[objectID] else { continue }
            if let object = registry.object(objectID) {
                guard !object.isDeleted, !object.life.isGone, !object.life.isInaccessible else {
                    continue
                }
                event.changedSlots[ObjectIdentifier(object)] = object.snapshot?.difference(
                    from: row, object.layout)
                object.take(row, keepingChanges: true)
                event.refreshed.append(object)
            } else if isNoticed(objectID) {
                let object = object(with: objectID)
                object.take(row, keepingChanges: true)
                event.noticed.append(object)
            }
        }
        for (place, object) in saved.inserted.enumerated() where !object.layout.derived.isEmpty {
            let row =
                saved.insertedRows.indices.contains(place)
                ? saved.insertedRows[place] : saved.snapshots[object.objectID]
            noteDerived(object, row, &event)
        }
        for object in saved.updated where !object.layout.derived.isEmpty {
            noteDerived(object, saved.snapshots[object.objectID], &event)
        }
        return event
    }

    private func noteDerived(_ object: NSManagedObject, _ row: Snapshot?, _ event: inout ContextEvent) {
        guard let row else { return }
        let layout = object.layout
        let slots = layout.derived.filter { object.currentAttribute($0) != row.value($0, layout) }
        guard !slots.isEmpty else { return }
        event.changedSlots[ObjectIdentifier(object)] = SlotSet(slots)
        event.refreshed.append(object)
    }

    /// Announces these changes, once the objects have their new values.
    func tellDerived(_ event: ContextEvent) {
        if !event.isEmpty {
            publish(event)
        } else if !event.noticed.isEmpty {
            tellListeners { $0.contextDidChange(event) }
        }
    }
}
