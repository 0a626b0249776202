// What an object knows of its changes.

extension NSManagedObject {
    /// The stored properties that were changed since the last save, with their new values; no value is `NSNull`.
    ///
    /// What was only set by ``setPrimitiveValue(_:forKey:)`` is saved, and not listed: nobody noticed that change.
    func valuesChangedSinceSave() -> [String: Any] {
        var values: [String: Any] = [:]
        for slot in changedSlots.slots where !layout.properties[slot].isTransient {
            guard isInserted || differsFromSaved(slot), !primitiveSlots.contains(slot) else { continue }
            values[layout.properties[slot].name] = anyValue(of: slot) ?? NSNull()
        }
        return values
    }

    /// What the properties that changed since changes were last processed held before.
    func valuesBeforeEvent() -> [String: Any] {
        var values: [String: Any] = [:]
        for (slot, old) in eventOld where !layout.properties[slot].isTransient {
            values[layout.properties[slot].name] = any(old, slot) ?? NSNull() as Any
        }
        return values
    }

    /// The values of the last fetch or save; what has none is `NSNull`. Nil asks for all properties.
    func savedValues(_ keys: [String]?) -> [String: Any] {
        if life.isFault { fulfil() }
        var values: [String: Any] = [:]
        // Nothing of a new object is committed.
        if snapshot == nil, isInserted { return values }
        for key in keys ?? layout.properties.map(\.name) {
            guard let slot = layout.slots[key] else { continue }
            values[key] = committedValue(slot) ?? NSNull()
        }
        return values
    }

    private func committedValue(_ slot: Int) -> Any? {
        guard let snapshot else { return nil }
        if layout.toManys.contains(slot) {
            if case .rearranged = relation(slot) { _ = toMany(slot) }
            if let saved = savedMany[slot] { return any(.relation(saved), slot) }
            if case .pending(let added, let removed) = relation(slot) {
                var collection = toMany(slot)
                for object in added { collection.remove(object) }
                for object in removed { collection.insert(object) }
                return Self.set(of: collection)
            }
            return anyValue(of: slot)
        }
        guard slot < layout.storedCount else { return anyValue(of: slot) }
        switch snapshot.value(slot, layout) {
        case .reference(let objectID): return managedObjectContext?.object(with: objectID)
        case let value: return value.anyValue(of: layout.attributeDescriptions[slot])
        }
    }

    private func any(_ old: OldState, _ slot: Int) -> Any? {
        switch old {
        case .attribute(let value): return value.anyValue(of: layout.attributeDescriptions[slot])
        case .relation(.one(let object)): return object
        case .relation(.many(let collection)): return Self.set(of: collection)
        case .relation(.pending(let added, let removed)): return pendingSet(added, removed, slot)
        case .relation(.unknown), .relation(.rearranged):
            if layout.toOnes.contains(slot) { return savedToOne(slot) }
            return pendingSet([], [], slot)
        }
    }

    private func savedToOne(_ slot: Int) -> NSManagedObject? {
        guard case .reference(let objectID)? = snapshot?.value(slot, layout) else { return nil }
        return managedObjectContext?.object(with: objectID)
    }

    /// What a to-many slot held when it had gained and lost these since the last save.
    private func pendingSet(_ added: [NSManagedObject], _ removed: [NSManagedObject], _ slot: Int) -> Any {
        _ = toMany(slot)
        guard case .many(var collection)? = savedMany[slot] ?? .many(toMany(slot)) else { return NSSet() }
        for object in removed { collection.remove(object) }
        for object in added { collection.insert(object) }
        return Self.set(of: collection)
    }

    /// Whether a changed slot holds something else than what was saved last.
    func differsFromSaved(_ slot: Int) -> Bool {
        guard let snapshot else { return true }
        if layout.attributes.contains(slot) { return currentAttribute(slot) != snapshot.value(slot, layout) }
        if layout.toOnes.contains(slot) {
            guard case .one(let object) = relation(slot) else { return false }
            if case .reference(let objectID) = snapshot.value(slot, layout) {
                return object?.objectID != objectID
            }
            return object != nil
        }
        guard layout.toManys.contains(slot), let change = manyChange(slot) else { return false }
        return !change.added.isEmpty || !change.removed.isEmpty || change.order != nil
    }

    /// Whether a relationship was not looked at yet.
    func isUnread(_ key: String) -> Bool {
        guard let slot = layout.slots[key] else { return false }
        if isFault { return true }
        switch relation(slot) {
        case .unknown, .pending, .rearranged: return true
        case .one(let object): return object?.isFault ?? false
        case .many: return false
        }
    }

    /// The IDs that a relationship leads to, without making objects of them.
    func destinationIDs(_ key: String) -> [NSManagedObjectID] {
        guard let slot = layout.slots[key] else { return [] }
        if layout.toOnes.contains(slot) {
            if life.isFault { fulfil() }
            return toOneID(slot).map { [$0] } ?? []
        }
        if case .unknown = relation(slot), let relationship = layout.relationshipDescriptions[slot],
            !isInserted, let context = managedObjectContext,
            // What cannot be read is read again below, as the values of the relationship, which reports why not.
            let objectIDs = try? context.destinations(of: relationship, from: objectID)
        {
            return objectIDs
        }
        return toMany(slot).objects.map(\.objectID)
    }

    /// The text of `description`; it does not read a fault.
    var debugText: String {
        let values =
            isFault
            ? "<fault>"
            : (Array(layout.attributes) + Array(layout.transients))
                .map { slot in
                    let value = currentAttribute(slot).anyValue(of: layout.attributeDescriptions[slot])
                    return "\(layout.properties[slot].name) = \(value.map { "\($0)" } ?? "nil")"
                }
                .joined(separator: "; ")
        return "<\(type(of: self))> (entity: \(entity.name ?? "?"); id: \(objectID); data: \(values))"
    }
}
