// Where rows come from: the stores of the coordinator, or the objects of the parent context.

extension NSManagedObjectContext {
    /// The row of an object, or what the parent's object holds; nil when there is none.
    func row(of objectID: NSManagedObjectID) throws -> FetchedRow? {
        if let parent { return try parent.performAndWait { try parent.rowForChild(objectID) } }
        guard let coordinator = ownCoordinator else { throw CoreDataError.noCoordinator.cocoa }
        guard !objectID.isTemporary else { return nil }
        return try asAsking { try coordinator.row(of: objectID, generation: generation) }
    }

    /// What a to-many relationship leads to in the store or in the parent.
    func destinations(
        of relationship: NSRelationshipDescription, from objectID: NSManagedObjectID
    ) throws -> [NSManagedObjectID] {
        if let parent {
            return try parent.performAndWait {
                let object = try parent.existingObject(with: objectID)
                guard let slot = object.layout.slots[relationship.name] else { return [] }
                var objectIDs: [NSManagedObjectID] = []
                let error = parent.errorOfReading { objectIDs = object.toMany(slot).objects.map(\.objectID) }
                if let error { throw error }
                return objectIDs
            }
        }
        guard let coordinator = ownCoordinator else { throw CoreDataError.noCoordinator.cocoa }
        return try asAsking {
            try coordinator.destinations(of: relationship, from: objectID, generation: generation)
        }
    }

    /// What this context's object holds, as a row for a child.
    ///
    /// - Throws: what reading the row throws; that there is none is nil.
    private func rowForChild(_ objectID: NSManagedObjectID) throws -> FetchedRow? {
        do {
            let object = try existingObject(with: objectID)
            return object.isDeleted ? nil : object.asRow
        } catch let error as CocoaError where error.errorCode == 133000 {
            return nil
        }
    }

    /// Hands out the objects that a fetch finds in the store or the parent.
    func rows(_ fetch: StoreFetch, withRows: Bool, each: (FetchedRow) throws -> Void) throws {
        if let parent {
            let rows = try parent.performAndWait {
                parent.processPendingChanges()
                return try parent.objects(fetch, includesPending: true).map(\.asRow)
            }
            adoptPermanentIDs()
            for row in rows { try each(row) }
            return
        }
        guard let coordinator = ownCoordinator else { throw CoreDataError.noCoordinator.cocoa }
        try asAsking {
            try coordinator.fetch(fetch, withRows: withRows, generation: generation, each: each)
        }
    }

    /// The number of objects that a fetch finds in the store or the parent.
    func storedCount(_ fetch: StoreFetch) throws -> Int {
        if let parent {
            return try parent.performAndWait {
                parent.processPendingChanges()
                return try parent.count(fetch, includesPending: true)
            }
        }
        guard let coordinator = ownCoordinator else { throw CoreDataError.noCoordinator.cocoa }
        return try asAsking { try coordinator.count(fetch, generation: generation) }
    }
}

extension NSManagedObject {
    /// What the object holds now, as a row.
    var asRow: FetchedRow {
        if life.isFault { fulfil() }
        let snapshot = Snapshot(version: snapshot?.version ?? 0, values: storedValues())
        return FetchedRow(
            layout: layout, reference: objectID.reference, snapshot: snapshot, store: objectID.persistentStore
        )
    }
}
