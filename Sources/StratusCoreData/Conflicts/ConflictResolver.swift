/// Settles the conflicts of one save by the context's policy.
final class ConflictResolver {
    private let context: NSManagedObjectContext
    private var rounds = 0

    /// How often a policy may try before the save fails: others may keep changing the store.
    private static let roundsAllowed = 100

    init(context: NSManagedObjectContext) { self.context = context }

    /// Settles conflicts, so that the save can be tried again.
    ///
    /// - Throws: `CocoaError` 133020 or 133021 where the policy is to fail, and what a policy of the app throws.
    func resolve(_ conflicts: StoreConflicts) throws {
        rounds += 1
        var isSettled = conflicts.duplicates.isEmpty
        let stale = conflicts.stale.compactMap { conflict -> NSMergeConflict? in
            let object = context.object(with: conflict.objectID)
            if conflict.stored == nil, object.isDeleted {
                // Deleted here and there: both have what they want.
                object.life.missRow()
                return nil
            }
            isSettled = false
            return NSMergeConflict(object, conflict)
        }
        if isSettled, rounds <= Self.roundsAllowed { return }
        let duplicates = conflicts.duplicates.map(constraintConflict)
        guard rounds <= Self.roundsAllowed else {
            throw stale.isEmpty
                ? ConflictErrors.constraintError(duplicates) : ConflictErrors.mergeError(stale)
        }
        let policy = context.mergePolicy as? NSMergePolicy ?? NSMergePolicy.error
        let list: [Any] = stale + duplicates
        try policy.resolve(mergeConflicts: list)
        // Settling gives objects other values behind their setters' backs.
        for object in stale.map(\.sourceObject) {
            context.noteSettled(object)
        }
        context.processPendingChanges()
    }

    private func constraintConflict(_ duplicate: StoreConflicts.Duplicate) -> NSConstraintConflict {
        let object = context.object(with: duplicate.objectID)
        let other = context.object(with: duplicate.other)
        guard let stored = duplicate.stored else {
            return NSConstraintConflict(
                constraint: duplicate.constraint, databaseObject: nil, stored: nil,
                conflicting: [other, object])
        }
        if other.isFault { other.snapshot = stored }
        return NSConstraintConflict(
            constraint: duplicate.constraint, databaseObject: other, stored: stored, conflicting: [object])
    }
}

/// The errors of conflicts, with Apple's codes.
enum ConflictErrors {
    /// The row that a dictionary of values describes.
    static func snapshot(_ values: [String: Any], version: Int64, _ layout: EntityLayout) -> Snapshot {
        let row = (0..<layout.storedCount).map { slot -> PropertyValue in
            let any = values[layout.properties[slot].name].flatMap { $0 is NSNull ? nil : $0 }
            if let attribute = layout.attributeDescriptions[slot] {
                return PropertyValue(any, for: attribute) ?? .null
            }
            let objectID = any as? NSManagedObjectID ?? (any as? NSManagedObject)?.objectID
            return objectID.map { .reference($0) } ?? .null
        }
        return Snapshot(version: version, values: row)
    }

    static func mergeError(_ conflicts: [NSMergeConflict]) -> CocoaError {
        let names = conflicts.map { "\($0.sourceObject.objectID)" }.joined(separator: ", ")
        return CoreDataError(
            133020, "Could not merge changes: others have saved \(names) meanwhile.",
            remedy: "Set the context's mergePolicy, or refresh the objects and save again.",
            userInfo: ["conflictList": conflicts]
        ).cocoa
    }

    static func constraintError(_ conflicts: [NSConstraintConflict]) -> CocoaError {
        let what = conflicts.map { conflict in
            "\(conflict.conflictingObjects.first?.entity.name ?? "?") with the same "
                + conflict.constraint.joined(separator: ", ")
        }
        return CoreDataError(
            133021, "Could not save: there is another \(what.joined(separator: "; ")).",
            remedy: "Set the context's mergePolicy, or give the objects other values.",
            userInfo: ["conflictList": conflicts]
        ).cocoa
    }

    /// A row as a dictionary; what has no value is `NSNull`.
    static func dictionary(_ snapshot: Snapshot, _ layout: EntityLayout) -> [String: Any] {
        var values: [String: Any] = [:]
        for slot in 0..<layout.storedCount {
            values[layout.properties[slot].name] =
                snapshot.value(slot, layout).anyValue(of: layout.attributeDescriptions[slot]) ?? NSNull()
        }
        return values
    }
}

extension NSManagedObject {
    /// Takes the store's values where both sides changed a property, and keeps its own changes elsewhere.
    func yield(to stored: Snapshot) {
        guard let base = snapshot else { return take(stored, keepingChanges: false) }
        followStored(stored) { stored.value($0, self.layout) != base.value($0, self.layout) }
        for slot in changedSlots.slots where slot < layout.storedCount {
            guard stored.value(slot, layout) != base.value(slot, layout) else { continue }
            changedSlots.remove(slot)
        }
        take(stored, keepingChanges: true)
        if changedSlots.isEmpty { life.unchange() }
    }

    /// Sets to-one relationships to what the store holds, so that the other sides follow.
    func followStored(_ stored: Snapshot, where follows: (Int) -> Bool) {
        guard let context = managedObjectContext else { return }
        for slot in layout.toOnes where follows(slot) {
            var destination: NSManagedObject?
            if case .reference(let objectID) = stored.value(slot, layout) {
                destination = context.object(with: objectID)
            }
            setToOne(slot, destination)
        }
    }

    /// The other sides lead to the object again, whose delete is taken back.
    func reconnect() {
        for slot in layout.toOnes.lowerBound..<layout.toManys.upperBound {
            guard let relationship = layout.relationshipDescriptions[slot],
                let inverse = relationship.inverseRelationship
            else { continue }
            let others = relationship.isToMany ? toMany(slot).objects : toOne(slot).map { [$0] } ?? []
            for other in others where !other.isDeleted { other.accept(self, inverse) }
        }
    }

    /// Takes the values of a duplicate that is to go: all of them, or those that are not nothing.
    func takeValues(of other: NSManagedObject, all: Bool) {
        for slot in layout.attributes {
            guard let source = other.layout.slots[layout.properties[slot].name] else { continue }
            let value = other.attribute(source)
            if (all || !value.isNull), attribute(slot) != value { setAttribute(slot, value) }
        }
        for slot in layout.toOnes {
            guard let source = other.layout.slots[layout.properties[slot].name] else { continue }
            if let destination = other.toOne(source) { setToOne(slot, destination) }
        }
        for slot in layout.toManys {
            guard let source = other.layout.slots[layout.properties[slot].name] else { continue }
            for object in other.toMany(source).objects { addToMany(slot, object) }
        }
    }
}

extension NSManagedObjectContext {
    /// An object that loses to another one with the same values goes.
    func dropDuplicate(_ object: NSManagedObject) {
        for slot in object.layout.toOnes { object.setToOne(slot, nil) }
        for slot in object.layout.toManys {
            for other in object.toMany(slot).objects { object.removeFromMany(slot, other) }
        }
        noteDeleteFollowed(object)
    }
}
