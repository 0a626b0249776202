// How the changes of a save reach a store of the app's own.

extension NSIncrementalStore {
    /// The context whose question is being answered.
    func asking() -> NSManagedObjectContext? { NSManagedObjectContext.current }

    /// The row of an object as the store's node has it.
    func snapshot(of objectID: NSManagedObjectID) throws -> Snapshot {
        guard let context = asking() else { throw CoreDataError.noContextHere.cocoa }
        let node = try newValuesForObject(with: objectID, with: context)
        let layout = objectID.entity.layout
        var values: [PropertyValue] = []
        values.reserveCapacity(layout.storedCount)
        for slot in 0..<layout.storedCount { values.append(try value(slot, layout, node)) }
        return Snapshot(version: Int64(truncatingIfNeeded: node.version), values: values)
    }

    private func value(_ slot: Int, _ layout: EntityLayout, _ node: NSIncrementalStoreNode) throws
        -> PropertyValue
    {
        let property = layout.properties[slot]
        var any = node.value(for: property)
        if let attribute = layout.attributeDescriptions[slot] {
            guard let value = PropertyValue(any, for: attribute) else {
                throw wrongAnswer(
                    any ?? NSNull(), "a value for \(layout.entity.name ?? "?").\(property.name)")
            }
            return value
        }
        guard let relationship = layout.relationshipDescriptions[slot] else { return .null }
        if any == nil {
            any = try newValue(forRelationship: relationship, forObjectWith: node.objectID, with: asking())
        }
        switch any {
        case nil, is NSNull: return .null
        case let objectID as NSManagedObjectID: return .reference(objectID)
        case let object as NSManagedObject: return .reference(object.objectID)
        case let other?: throw wrongAnswer(other, "an ID for \(layout.entity.name ?? "?").\(property.name)")
        }
    }

    /// Hands out what a fetch found.
    func hand(out answer: Any, _ each: (FetchedRow) throws -> Void) throws {
        guard let found = answer as? [Any] else { throw wrongAnswer(answer, "an array") }
        for element in found {
            guard let objectID = element as? NSManagedObjectID ?? (element as? NSManagedObject)?.objectID
            else {
                throw wrongAnswer(element, "an object or its ID")
            }
            try each(
                FetchedRow(
                    layout: objectID.entity.layout, reference: objectID.reference, snapshot: nil, store: self)
            )
        }
    }
}

/// The part of a save that goes to one store of the app's own, which cannot take back what it has written.
final class IncrementalSave: OpenSave {
    var store: NSPersistentStore { incrementalStore }
    private let incrementalStore: NSIncrementalStore
    private let changes: StoreChanges
    private let context: NSManagedObjectContext

    init(_ store: NSIncrementalStore, _ changes: StoreChanges, _ context: NSManagedObjectContext) {
        incrementalStore = store
        self.changes = changes
        self.context = context
    }

    /// - Throws: what the store throws.
    func commit() throws -> StoreSaveResult {
        let request = NSSaveChangesRequest(
            inserted: objects(changes.inserted), updated: objects(changes.updated),
            deleted: objects(changes.deleted), locked: nil)
        _ = try incrementalStore.execute(request, with: context)
        var result = StoreSaveResult()
        for change in changes.inserted + changes.updated {
            // What the store made of the values is read back; it is written already, so a failure to read
            // only means that the values are as they were sent.
            result.snapshots[change.objectID] =
                (try? incrementalStore.snapshot(of: change.objectID))
                ?? Snapshot(version: (change.base?.version ?? 0) + 1, values: change.values)
        }
        return result
    }

    func rollBack() {}

    /// - Throws: ``StoreConflicts`` where objects have changed meanwhile.
    func check() throws {
        var conflicts = StoreConflicts()
        for change in changes.updated + changes.deleted {
            guard let base = change.base else { continue }
            let stored = try incrementalStore.row(of: change.objectID, generation: nil)?.snapshot
            // Deleted here and there: both have what they want.
            if stored == nil, change.values.isEmpty { continue }
            guard stored?.version != base.version else { continue }
            conflicts.stale.append(.init(objectID: change.objectID, stored: stored))
        }
        if !conflicts.stale.isEmpty { throw conflicts }
    }

    private func objects(_ changes: [ObjectChange]) -> Set<NSManagedObject> {
        Set(changes.map { context.object(with: $0.objectID) })
    }
}

/// Tells stores of the app's own which of their objects are in contexts.
enum IncrementalStoreHooks {
    /// An object came into a context.
    static func note(_ object: NSManagedObject) {
        guard case .custom = object.identity.reference, !object.marks.contains(.tracked),
            let store = object.identity.persistentStore as? NSIncrementalStore
        else { return }
        object.marks.insert(.tracked)
        store.managedObjectContextDidRegisterObjects(with: [object.identity])
    }

    /// Objects left a context.
    static func forget(_ objectIDs: [NSManagedObjectID]) {
        for objectID in objectIDs {
            (objectID.persistentStore as? NSIncrementalStore)?
                .managedObjectContextDidUnregisterObjects(with: [objectID])
        }
    }
}
