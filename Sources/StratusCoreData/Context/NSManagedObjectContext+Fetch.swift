// Fetching: what the store finds, put together with what is changed here and not saved yet.

extension NSManagedObjectContext {
    /// The objects, IDs, dictionaries or the number that a request asks for.
    ///
    /// Unsaved changes of this context count, unless the request says otherwise.
    /// - Throws: `CocoaError` for a request that names what the model lacks or asks for what a store cannot do,
    ///   with the key and a remedy; and the store's errors.
    public func fetch<Result>(_ request: NSFetchRequest<Result>) throws -> [Result] {
        switch request.resultType {
        case .managedObjectIDResultType where Result.self == NSManagedObjectID.self:
            // The same type under another name, so the array is the same; casting it would look at each element.
            return unsafeBitCast(try objectIDs(of: request), to: [Result].self)
        case .managedObjectResultType:
            let objects = try managedObjects(of: request)
            if Self.areAll(objects, Result.self) { return unsafeBitCast(objects, to: [Result].self) }
            return try Self.cast(objects, request)
        default: return try Self.cast(try results(of: request), request)
        }
    }

    /// Whether objects are of a class. Those of one entity share a class, so few of them are looked at.
    private static func areAll<Result>(_ objects: [NSManagedObject], _ type: Result.Type) -> Bool {
        guard type is AnyClass else { return false }
        var last: EntityLayout?
        return objects.allSatisfy { object in
            if object.layout === last { return true }
            last = object.layout
            return object is Result && Swift.type(of: object) == object.layout.objectClass
        }
    }

    private static func cast<Result>(_ results: [Any], _ request: AnyFetchRequest) throws -> [Result] {
        try results.map { result in
            if let result = result as? Result { return result }
            throw CoreDataError(
                134060,
                "A fetch of \(request.entityName ?? "?") found \(type(of: result)), which is not of type \(Result.self).",
                remedy:
                    "Make the request's type fit its resultType, and the entity's class name fit the class."
            ).cocoa
        }
    }

    func countObjects(_ request: AnyFetchRequest) throws -> Int {
        ConcurrencyCheck.check(self)
        processPendingChanges()
        return try count(try plan(request).fetch, includesPending: request.includesPendingChanges)
    }

    /// The results of a request of any kind.
    func results(of request: AnyFetchRequest) throws -> [Any] {
        let plan = try begin(request)
        switch request.resultType {
        case .countResultType:
            return [NSNumber(value: try count(plan.fetch, includesPending: request.includesPendingChanges))]
        case .managedObjectIDResultType: return try objectIDs(plan.fetch, request)
        case .dictionaryResultType: return try dictionaries(plan.fetch, request)
        default: return try managedObjects(plan.fetch, request)
        }
    }

    private func begin(_ request: AnyFetchRequest) throws -> FetchPlan {
        ConcurrencyCheck.check(self)
        processPendingChanges()
        return try plan(request)
    }

    private func managedObjects(of request: AnyFetchRequest) throws -> [NSManagedObject] {
        try managedObjects(try begin(request).fetch, request)
    }

    private func objectIDs(of request: AnyFetchRequest) throws -> [NSManagedObjectID] {
        try objectIDs(try begin(request).fetch, request)
    }

    func plan(_ request: AnyFetchRequest) throws -> FetchPlan {
        guard let coordinator = coordinatorOfChain else { throw CoreDataError.noCoordinator.cocoa }
        if let stores = request.affectedStores, stores.isEmpty { throw CoreDataError.noStores.cocoa }
        var plan = try FetchPlan(request, model: coordinator.managedObjectModel)
        plan.fetch.stores = request.affectedStores
        return plan
    }

    private func managedObjects(_ fetch: StoreFetch, _ request: AnyFetchRequest) throws -> [NSManagedObject] {
        let objects = try objects(
            fetch, includesPending: request.includesPendingChanges,
            withRows: request.includesPropertyValues, refreshing: request.shouldRefreshRefetchedObjects)
        if !request.returnsObjectsAsFaults { for object in objects { object.fulfil() } }
        for path in request.relationshipKeyPathsForPrefetching ?? [] { try prefetch(path, of: objects) }
        return objects
    }

    /// The objects of a fetch, with the changes of this context where asked.
    func objects(
        _ fetch: StoreFetch, includesPending: Bool, withRows: Bool = true, refreshing: Bool = false
    ) throws -> [NSManagedObject] {
        guard includesPending, hasPending(for: fetch) else {
            return try replacingValues {
                try storedObjects(fetch, withRows: withRows, refreshing: refreshing)
            }
        }
        return try replacingValues { try mergedObjects(fetch, refreshing: refreshing) }
    }

    private func storedObjects(
        _ fetch: StoreFetch, withRows: Bool, refreshing: Bool
    ) throws -> [NSManagedObject] {
        var objects: [NSManagedObject] = []
        var births = FaultFactory(self)
        try rows(fetch, withRows: withRows) { row in
            guard case .row(let key) = row.reference, let anchor = row.anchor else {
                let object = object(row, snapshot: row.snapshot)
                update(object, row, refreshing: refreshing)
                objects.append(object)
                return
            }
            if let known = births.known(key, row.layout, anchor) {
                update(known, row, refreshing: refreshing)
                objects.append(known)
            } else {
                objects.append(births.make(key, row))
            }
        }
        return objects
    }

    /// Gives a known object the row that was read now: a fault takes it, others only when they are refreshed.
    private func update(_ object: NSManagedObject, _ row: FetchedRow, refreshing: Bool) {
        // A store of the app's own finds objects without their values.
        let read = row.snapshot == nil && refreshing ? (try? self.row(of: object.objectID))?.snapshot : nil
        guard let snapshot = row.snapshot ?? read else { return }
        if object.isFault {
            object.snapshot = snapshot
        } else if refreshing {
            object.take(snapshot, keepingChanges: true)
        }
    }

    // MARK: Changes that are not saved yet

    /// Whether unsaved changes may decide what a fetch finds.
    func hasPending(for fetch: StoreFetch) -> Bool {
        guard !changed.isEmpty else { return false }
        let family = family(of: fetch)
        let touched = PathWalk.entities(of: fetch)
        return changed.contains { object in
            guard object.hasChanges else { return false }
            return family.contains(object.layout.number)
                || touched.contains { $0.layout.family.contains(object.layout.number) }
        }
    }

    private func family(of fetch: StoreFetch) -> Set<Int> {
        fetch.includesSubentities ? fetch.entity.layout.family : [fetch.entity.layout.number]
    }

    /// The objects of a fetch when this context has changes that matter.
    ///
    /// The store decides about objects that are unchanged here, memory about the others. Where changed objects
    /// are on the key paths of the predicate or the order, memory decides about all.
    private func mergedObjects(_ fetch: StoreFetch, refreshing: Bool) throws -> [NSManagedObject] {
        let family = family(of: fetch)
        let touched = PathWalk.entities(of: fetch)
        let own = changed.filter { $0.hasChanges && family.contains($0.layout.number) }
        let reachesOthers = changed.contains { object in
            object.hasChanges && touched.contains { $0.layout.family.contains(object.layout.number) }
        }
        var stored = fetch
        stored.offset = 0
        if reachesOthers {
            stored.predicate = nil
            stored.sort = []
            stored.limit = 0
        } else if fetch.limitFromStart > 0 {
            // As many as there are changes may drop out of the first rows.
            let (limit, overflows) = fetch.limitFromStart.addingReportingOverflow(own.count)
            stored.limit = overflows ? 0 : limit
        } else {
            stored.limit = 0
        }
        var objects = try storedObjects(stored, withRows: true, refreshing: refreshing)
        if reachesOthers {
            objects = try objects.filter { object in
                guard !object.hasChanges else { return false }
                return try matches(fetch.predicate, object)
            }
        } else {
            objects.removeAll(where: \.hasChanges)
        }
        let changedOnes = try own.filter { try !$0.isDeleted && matches(fetch.predicate, $0) }
        let order = ObjectOrder(fetch.sort)
        objects = merge(objects, changedOnes, order, sortsAll: reachesOthers)
        return Array(fetch.page(of: objects))
    }

    private func merge(
        _ stored: [NSManagedObject], _ changed: [NSManagedObject], _ order: ObjectOrder, sortsAll: Bool
    ) -> [NSManagedObject] {
        if sortsAll { return (stored + changed).sorted { order.precedes($0, $1) } }
        let changed = changed.sorted { order.precedes($0, $1) }
        var merged: [NSManagedObject] = []
        merged.reserveCapacity(stored.count + changed.count)
        var rest = changed[...]
        for object in stored {
            while let next = rest.first, order.precedes(next, object) {
                merged.append(next)
                rest = rest.dropFirst()
            }
            merged.append(object)
        }
        return merged + rest
    }

    /// Whether an object is what a predicate asks for, in memory.
    func matches(_ predicate: PredicateTree?, _ object: NSManagedObject) throws -> Bool {
        guard let predicate else { return true }
        do {
            return try predicate.evaluate(on: object)
        } catch {
            throw CoreDataError(
                134060,
                "The predicate of a fetch of \(object.entity.name ?? "?") cannot be evaluated: \(error.message)",
                remedy: error.remedy, cause: error
            ).cocoa
        }
    }

    // MARK: Numbers, IDs and dictionaries

    func count(_ fetch: StoreFetch, includesPending: Bool) throws -> Int {
        guard includesPending, hasPending(for: fetch) else { return try storedCount(fetch) }
        return try mergedObjects(fetch, refreshing: false).count
    }

    private func objectIDs(_ fetch: StoreFetch, _ request: AnyFetchRequest) throws -> [NSManagedObjectID] {
        if request.includesPendingChanges, hasPending(for: fetch) {
            return try mergedObjects(fetch, refreshing: false).map(\.objectID)
        }
        if parent == nil, let coordinator = ownCoordinator,
            let objectIDs = try asAsking({ try coordinator.objectIDs(fetch, generation: generation) })
        {
            return objectIDs
        }
        var objectIDs: [NSManagedObjectID] = []
        try rows(fetch, withRows: false) { row in
            objectIDs.append(
                NSManagedObjectID(reference: row.reference, layout: row.layout, anchor: row.anchor))
        }
        return objectIDs
    }

    private func dictionaries(_ fetch: StoreFetch, _ request: AnyFetchRequest) throws -> [Any] {
        let columns = try StoreColumns(request, entity: fetch.entity)
        var context = self
        while let parent = context.parent { context = parent }
        guard let coordinator = context.ownCoordinator else { throw CoreDataError.noCoordinator.cocoa }
        let root = context
        return try root.asAsking { try coordinator.dictionaries(fetch, columns, generation: root.generation) }
    }
}
