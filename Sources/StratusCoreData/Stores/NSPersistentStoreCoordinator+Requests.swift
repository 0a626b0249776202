// What contexts ask of the stores; each method holds the coordinator's lock.

extension NSPersistentStoreCoordinator {
    /// The stores that a fetch asks.
    private func stores(for fetch: StoreFetch) throws -> [any GraphStore] {
        let all = graphStores
        guard !all.isEmpty else { throw CoreDataError.noStores.cocoa }
        let candidates = fetch.stores.map { own($0, among: all) } ?? all
        return all.count == 1 ? candidates : candidates.filter { $0.holds(fetch.entity) }
    }

    /// Those of the stores that are this coordinator's.
    private func own(_ stores: [NSPersistentStore], among all: [any GraphStore]) -> [any GraphStore] {
        stores.compactMap { store in all.first { $0 === store } }
    }

    /// The one store that a fetch asks, or nil where there are several.
    func onlyStore(for fetch: StoreFetch) throws -> (any GraphStore)? {
        let stores = try stores(for: fetch)
        return stores.count == 1 ? stores.first : nil
    }

    func fetch(
        _ fetch: StoreFetch, withRows: Bool, generation: StoreGenerations?, each: (FetchedRow) throws -> Void
    ) throws {
        try withLock {
            let stores = try stores(for: fetch)
            if stores.count == 1 {
                return try stores[0].fetch(
                    fetch, withRows: withRows, generation: generation?[stores[0]], each: each)
            }
            for row in try SeveralFetch(fetch, stores, generation).rows(withRows: withRows) { try each(row) }
        }
    }

    /// The IDs of what a fetch finds; nil where several stores are asked, whose rows have to be put in order.
    func objectIDs(_ fetch: StoreFetch, generation: StoreGenerations?) throws -> [NSManagedObjectID]? {
        try withLock {
            let stores = try stores(for: fetch)
            guard stores.count == 1 else { return nil }
            return try stores[0].objectIDs(fetch, generation: generation?[stores[0]])
        }
    }

    func count(_ fetch: StoreFetch, generation: StoreGenerations?) throws -> Int {
        try withLock {
            let stores = try stores(for: fetch)
            if stores.count == 1 { return try stores[0].count(fetch, generation: generation?[stores[0]]) }
            return try SeveralFetch(fetch, stores, generation).count()
        }
    }

    func dictionaries(
        _ fetch: StoreFetch, _ columns: StoreColumns, generation: StoreGenerations?
    ) throws -> [[String: Any]] {
        try withLock {
            let stores = try stores(for: fetch)
            if stores.count == 1 {
                return try stores[0].dictionaries(fetch, columns, generation: generation?[stores[0]])
            }
            return try SeveralFetch(fetch, stores, generation).dictionaries(columns)
        }
    }

    func row(of objectID: NSManagedObjectID, generation: StoreGenerations?) throws -> FetchedRow? {
        try withLock {
            guard let store = store(of: objectID) else { return nil }
            var row = try store.row(of: objectID, generation: generation?[store])
            row?.anchor = store.anchor
            return row
        }
    }

    func destinations(
        of relationship: NSRelationshipDescription, from objectID: NSManagedObjectID,
        generation: StoreGenerations?
    ) throws -> [NSManagedObjectID] {
        try withLock {
            guard let store = store(of: objectID) else { return [] }
            return try store.destinations(of: relationship, from: objectID, generation: generation?[store])
        }
    }

    private func store(of objectID: NSManagedObjectID) -> (any GraphStore)? {
        if let store = objectID.persistentStore, let own = graphStores.first(where: { $0 === store }) {
            return own
        }
        // The store that it was made for is gone from here; another one has its identity, as after a move.
        return graphStores.first { $0.identifier == objectID.storeIdentifier }
    }

    /// Permanent IDs for new objects, in the stores that hold their entities.
    func newObjectIDs(
        for objects: [(NSManagedObjectID, EntityLayout)], assigned: [NSManagedObjectID: NSPersistentStore],
        from context: NSManagedObjectContext?
    ) throws -> [NSManagedObjectID] {
        try withLock {
            let all = graphStores
            guard !all.isEmpty else { throw CoreDataError.noStores.cocoa }
            if all.count == 1, let store = all.first, !store.isReadOnly, assigned.isEmpty,
                Set(objects.map(\.1.number)).allSatisfy({ number in
                    managedObjectModel.entitiesByNumber[number].map(store.holds) ?? false
                })
            {
                return try store.newObjectIDs(for: objects, from: context)
            }
            var result: [NSManagedObjectID?] = Array(repeating: nil, count: objects.count)
            var groups: [ObjectIdentifier: (store: any GraphStore, places: [Int])] = [:]
            var chosen: [Int: any GraphStore] = [:]
            for (place, object) in objects.enumerated() {
                let number = object.1.number
                let own =
                    assigned.isEmpty
                    ? nil : assigned[object.0].flatMap { store in all.first { $0 === store } }
                let known = own ?? chosen[number]
                guard let store = known ?? all.first(where: { !$0.isReadOnly && $0.holds(object.1.entity) })
                else {
                    throw CoreDataError(
                        134030,
                        "No store that can be changed holds the entity \(object.1.entity.name ?? "?").",
                        remedy: "Add a store whose configuration has the entity, and is not read-only."
                    ).cocoa
                }
                if own == nil { chosen[number] = store }
                groups[ObjectIdentifier(store), default: (store, [])].places.append(place)
            }
            for group in groups.values {
                let objectIDs = try group.store.newObjectIDs(
                    for: group.places.map { objects[$0] }, from: context)
                for (place, objectID) in zip(group.places, objectIDs) { result[place] = objectID }
            }
            return result.compactMap { $0 }
        }
    }

    /// Writes the changes of a context, all or nothing; ``MultiStoreSave`` says how far that goes with several stores.
    ///
    /// - Throws: ``StoreConflicts``, ``IncompleteSave``, and the stores' errors.
    func save(_ changes: StoreChanges, from context: NSManagedObjectContext?) throws -> StoreSaveResult {
        try withLock {
            let all = graphStores
            guard !all.isEmpty else { throw CoreDataError.noStores.cocoa }
            try MultiStoreSave.requireStores(all, of: changes)
            if all.count == 1 { return try all[0].save(changes, from: context) }
            return try MultiStoreSave(changes, all, context).run()
        }
    }

    /// Writes the metadata that was set on the stores: what a save without other changes does.
    func saveMetadata() throws {
        try withLock { for store in graphStores { try store.saveMetadata() } }
    }

    func executeOnStores(
        _ request: NSPersistentStoreRequest, _ context: NSManagedObjectContext?
    ) throws -> NSPersistentStoreResult {
        let (result, changed) = try executeLocked(request, context)
        // Not with the lock: an observer may wait for another context, or for its own queue.
        for store in changed { store.announceChange() }
        return result
    }

    /// The result, and the stores that others are to hear of.
    private func executeLocked(
        _ request: NSPersistentStoreRequest, _ context: NSManagedObjectContext?
    ) throws -> (NSPersistentStoreResult, changed: [any GraphStore]) {
        try withLock {
            let all = graphStores
            guard !all.isEmpty else { throw CoreDataError.noStores.cocoa }
            if let events = request as? NSPersistentCloudKitContainerEventRequest {
                return (NSPersistentCloudKitContainerEventResult.none(events.resultType), [])
            }
            let stores = request.affectedStores.map { own($0, among: all) } ?? all
            if let history = request as? NSPersistentHistoryChangeRequest, stores.count > 1 {
                return (try SeveralHistories(stores).execute(history, context), [])
            }
            let entityName =
                (request as? NSBatchInsertRequest)?.entityName ?? (request as? NSBatchUpdateRequest)?
                .entityName
                ?? (request as? NSBatchDeleteRequest)?.fetchRequest.entityName
            let entity = entityName.flatMap { managedObjectModel.entitiesByName[$0] }
            if let entityName, entity == nil {
                throw CoreDataError.unknownEntity(
                    entityName, known: Array(managedObjectModel.entitiesByName.keys)
                ).cocoa
            }
            let holders = stores.filter { store in entity.map(store.holds) ?? true }
            guard let store = holders.first(where: { !$0.isReadOnly }) ?? holders.first else {
                throw CoreDataError.noStores.cocoa
            }
            let isOfAll = request is NSBatchUpdateRequest || request is NSBatchDeleteRequest
            let writable = isOfAll ? holders.filter { !$0.isReadOnly } : []
            let targets = writable.isEmpty ? [store] : writable
            let request = try (request as? NSBatchDeleteRequest).map { try counted($0, targets) } ?? request
            let answer = BatchAnswers.joined(try targets.map { try $0.execute(request, in: context) })
            return (answer, request is NSPersistentHistoryChangeRequest ? [] : targets)
        }
    }

    /// The delete; one with a limit or an offset over several stores names what these leave of all objects.
    private func counted(
        _ request: NSBatchDeleteRequest, _ stores: [any GraphStore]
    ) throws -> NSBatchDeleteRequest {
        let fetch = request.fetchRequest
        guard stores.count > 1, fetch.fetchLimit > 0 || fetch.fetchOffset > 0 else { return request }
        let plan = try FetchPlan(fetch, model: managedObjectModel).fetch
        let rows = try SeveralFetch(plan, stores, nil).rows(withRows: false)
        let named = NSBatchDeleteRequest(
            objectIDs: rows.map {
                NSManagedObjectID(reference: $0.reference, layout: $0.layout, anchor: $0.anchor)
            })
        named.fetchRequest.entity = plan.entity
        named.resultType = request.resultType
        return named
    }

    /// The position that the histories of the stores have reached; nil where none keeps one.
    func historyToken(of stores: [NSPersistentStore]?) -> NSPersistentHistoryToken? {
        withLock {
            var transactions: [String: Int64] = [:]
            for store in stores.map({ own($0, among: graphStores) }) ?? graphStores {
                do {
                    if let number = try store.currentTransactionNumber() {
                        transactions[store.identifier] = number
                    }
                } catch {
                    // The token has no way to say it, and who asks with it sees that store's whole history again.
                    CoreDataLog.report(
                        "The history of the store \(store.identifier ?? "") cannot be read: \(error)")
                }
            }
            return transactions.isEmpty ? nil : NSPersistentHistoryToken(transactions: transactions)
        }
    }
}
