// How objects come into a context, and how they are found in it.

extension NSManagedObjectContext {
    /// The entity of a class in this context's model.
    func entity(for type: NSManagedObject.Type) -> NSEntityDescription {
        guard let model = coordinatorOfChain?.managedObjectModel else {
            fatalError("The context has no persistent store coordinator, so it knows no entity for \(type).")
        }
        model.freezeForUse()
        if let known = ModelRegistry.entity(for: type), known.managedObjectModel === model { return known }
        let found = model.entities.filter { $0.layout.objectClass == type }
        // A migration's models have no classes of the app's; its policies may make objects of them all the same.
        let named = model.entitiesByName[ModelRegistry.entityName(for: type)]
        guard
            let entity = found.first
                ?? named.flatMap({ $0.layout.objectClass == NSManagedObject.self ? $0 : nil })
        else {
            fatalError(
                "The model has no entity for the class \(type). It has: "
                    + model.entities.compactMap(\.managedObjectClassName).sorted().joined(separator: ", "))
        }
        return entity
    }

    /// Makes a new object.
    func makeObject(entity: NSEntityDescription) -> NSManagedObject {
        let object = ObjectBirth.make(
            entity.layout.objectClass, layout: entity.layout, objectID: .temporary(entity), isFault: false)
        adopt(object)
        return object
    }

    func adopt(_ object: NSManagedObject) {
        ConcurrencyCheck.check(self)
        if object.managedObjectContext === self {
            // Inserting an object that is to be deleted takes the delete back.
            if object.isDeleted { resurrect(object) }
            return
        }
        object.life.insert()
        object.event.noteInsert()
        registry.enter(object)
        list(object)
        object.awakeQuietly { object.awakeFromInsert() }
    }

    /// Puts an object into the lists of those that changed.
    func list(_ object: NSManagedObject) {
        if pending.note(object) { scheduleProcessing() }
    }

    /// Notices that an object is changed.
    func noteUpdate(_ object: NSManagedObject) {
        object.life.change()
        object.event.noteUpdate()
        list(object)
    }

    /// Processes changes at the end of the main queue's turn, where nobody else does.
    private func scheduleProcessing() {
        guard concurrencyType == .mainQueueConcurrencyType, !activity.contains(.scheduled) else { return }
        activity.insert(.scheduled)
        queue.async { [weak self] in
            guard let self else { return }
            activity.remove(.scheduled)
            processPendingChanges()
        }
    }

    /// The object of an ID, a new fault where it is not known.
    func knownObjectOrFault(_ objectID: NSManagedObjectID) -> NSManagedObject {
        adoptPermanentIDs()
        if let known = registry.object(objectID) { return known }
        let objectID = own(objectID.current)
        let object = ObjectBirth.make(
            objectID.entity.layout.objectClass, layout: objectID.entity.layout, objectID: objectID,
            isFault: true)
        registry.enter(object)
        return object
    }

    /// The ID as the context's coordinator has it, where that knows its store.
    private func own(_ objectID: NSManagedObjectID) -> NSManagedObjectID {
        coordinatorOfChain?.own(objectID) ?? objectID
    }

    /// The object of an ID, with its row read.
    func readObject(_ objectID: NSManagedObjectID) throws -> NSManagedObject {
        ConcurrencyCheck.check(self)
        adoptPermanentIDs()
        if let known = registry.object(objectID), !known.isFault {
            if known.life.isInaccessible || known.isDeleted {
                throw CoreDataError.missing(objectID).cocoa
            }
            return known
        }
        guard let row = try row(of: own(objectID)), let snapshot = row.snapshot else {
            throw CoreDataError.missing(objectID).cocoa
        }
        let object = object(row, snapshot: snapshot)
        object.fulfil()
        return object
    }

    /// The object of a fetched row, which takes the row where it was a fault.
    func object(_ row: FetchedRow, snapshot: Snapshot?) -> NSManagedObject {
        let objectID = NSManagedObjectID(
            reference: row.reference, layout: row.layout, anchor: row.anchor)
        if let known = registry.object(objectID) {
            if known.isFault, let snapshot { known.snapshot = snapshot }
            return known
        }
        return makeFault(objectID, row.layout, snapshot)
    }

    func makeFault(
        _ objectID: NSManagedObjectID, _ layout: EntityLayout, _ snapshot: Snapshot?
    ) -> NSManagedObject {
        let object = ObjectBirth.make(layout.objectClass, layout: layout, objectID: objectID, isFault: true)
        object.snapshot = snapshot
        registry.enter(object)
        return object
    }

    /// An object's row has vanished: others deleted it.
    func foundInaccessible(_ object: NSManagedObject) {
        guard shouldHandleInaccessibleFault(object, for: object.objectID, triggeredByProperty: nil) else {
            fatalError("CoreData could not fulfill a fault for '\(object.objectID)'.")
        }
        object.cells = object.layout.defaults.map { _ in .null }
        object.life.vanish()
        object.event.noteDelete()
        list(object)
    }

    /// Puts an object under its permanent ID.
    func setPermanentID(_ object: NSManagedObject, _ objectID: NSManagedObjectID) {
        let former = object.identity
        guard former != objectID else { return }
        registry.rename(object, to: objectID)
        if case .temporary(let key) = former.reference, key.successor == nil { key.succeed(objectID) }
    }

    /// Objects of a child context get the permanent IDs that an ancestor's save gave them.
    func adoptPermanentIDs() {
        guard parent != nil else { return }
        let given = TemporaryKey.successorsGiven
        guard given != idsAdopted else { return }
        idsAdopted = given
        for object in registry.withoutRows {
            let current = object.identity.current
            if current !== object.identity { setPermanentID(object, current) }
        }
    }

    /// Gives new objects their permanent IDs, in the order in which they were made, which is their order in lists.
    func assignPermanentIDs(to objects: [NSManagedObject]) throws {
        var new = objects.filter { $0.objectID.isTemporary }
        guard !new.isEmpty else { return }
        // The list of changed objects is in this order already, unless deletes were taken back.
        let numbers = new.map { $0.identity.temporaryNumber ?? 0 }
        if zip(numbers, numbers.dropFirst()).contains(where: { $0 > $1 }) {
            new.sort { ObjectOrder.idPrecedes($0.objectID, $1.objectID) }
        }
        if parent == nil, eventListeners.isEmpty, let coordinator = ownCoordinator {
            let objectIDs = try asAsking {
                try coordinator.newObjectIDs(
                    for: new.map { ($0.identity, $0.layout) }, assigned: assignedStores, from: self)
            }
            for (object, objectID) in zip(new, objectIDs) { setPermanentID(object, objectID) }
        } else {
            _ = try permanentIDs(for: new.map { ($0.objectID, $0.layout) }, assigned: assignedStores)
        }
        if !assignedStores.isEmpty { assignedStores = [:] }
    }

    /// Permanent IDs from the stores; the objects that this context and its parents have get them.
    func permanentIDs(
        for objects: [(NSManagedObjectID, EntityLayout)], assigned: [NSManagedObjectID: NSPersistentStore]
    ) throws -> [NSManagedObjectID] {
        let objectIDs: [NSManagedObjectID]
        if let parent {
            objectIDs = try parent.runAndWait {
                try parent.permanentIDs(for: objects, assigned: assigned)
            }
        } else {
            guard let coordinator = ownCoordinator else { throw CoreDataError.noCoordinator.cocoa }
            objectIDs = try asAsking {
                try coordinator.newObjectIDs(for: objects, assigned: assigned, from: self)
            }
        }
        let known = zip(objects, objectIDs).compactMap { object, permanent in
            registry.object(object.0).map { (object: $0, former: object.0, permanent: permanent) }
        }
        tellListeners { $0.contextWillAssignIDs(to: known.map(\.object)) }
        for (object, _, permanent) in known { setPermanentID(object, permanent) }
        tellListeners { $0.contextDidAssignIDs(known.map { ($0.object, $0.former) }) }
        return objectIDs
    }
}

extension NSManagedObjectContext {
    /// The objects of the context that are alive.
    package var liveObjects: [NSManagedObject] { registry.all }
}
