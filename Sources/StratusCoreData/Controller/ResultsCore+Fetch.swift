import SectionedLists

extension ResultsCore {
    /// Fetches, and makes the list again.
    func performFetch() throws {
        ConcurrencyCheck.check(context)
        context.processPendingChanges()
        try checkOrder()
        guard request.resultType == .managedObjectResultType else { return try performFixedFetch() }
        let basis = try makeBasis()
        let list = try makeList(basis)
        register()
        fixed = nil
        self.basis = basis
        self.list = list
        shown = list.snapshot
        isShowingOld = false
        isStale = false
        isLost = false
        queue = []
        fetches += 1
        unsaved = []
        suspended = nil
        renewMirror()
    }

    private func checkOrder() throws {
        guard request.sortDescriptors == nil else { return }
        throw CoreDataError(
            134060,
            "An instance of NSFetchedResultsController requires a fetch request with sort descriptors.",
            remedy: "Set sortDescriptors of the request for \(request.entityName ?? "?"), "
                + "such as [NSSortDescriptor(key: \"name\", ascending: true)]."
        ).cocoa
    }

    /// Looks up all names of the request.
    private func makeBasis() throws -> Basis {
        let plan = try context.plan(request)
        let sectionPath = sectionKeyPath.map { $0.split(separator: ".").map(String.init) }
        for sort in plan.fetch.sort { try ListKeyCheck.checkSort(sort.path, plan.fetch.entity) }
        if let sectionPath { try ListKeyCheck.checkSection(sectionPath, plan.fetch.entity) }
        let layout = plan.fetch.entity.layout
        return Basis(
            plan: plan, family: plan.fetch.includesSubentities ? layout.family : [layout.number],
            reader: ListReader(sorts: plan.fetch.sort, sectionPath: sectionPath),
            dependencies: PathDependencies(plan.fetch, sectionPath: sectionPath),
            includesPending: request.includesPendingChanges)
    }

    /// Fetches, and arranges what is found; the section names come from the cache where it can be trusted.
    func makeList(_ basis: Basis) throws -> ObjectList {
        let cache = cacheName.flatMap { SectionCache(name: $0, core: self, basis: basis) }
        let objects = try context.results(of: request).compactMap { $0 as? NSManagedObject }
        try checkTypes(objects)
        let names = cache?.read(count: objects.count)
        // What memory holds may be older than the store; only what was read now may be kept in the cache.
        var isFresh = objects.allSatisfy { $0.isFault && !$0.isInserted }
        related = []
        if names == nil || basis.dependencies.sortsOverRelationships {
            isFresh = try gatherRelated(objects, basis) && isFresh
        }
        temporaries = Set(objects.lazy.filter { $0.objectID.isTemporary }.map(ObjectIdentifier.init))
        var entries: [ListEntry<ListedObject, ListKey>] = []
        entries.reserveCapacity(objects.count)
        for (place, object) in objects.enumerated() {
            entries.append(basis.reader.entry(object, section: names?[place]))
        }
        if let path = basis.reader.sectionPath, !entries.isEmpty, entries.allSatisfy({ $0.section == "" }) {
            ListKeyCheck.noteEmptySections(path, basis.plan.fetch.entity)
        }
        if names == nil, isFresh { cache?.write(entries.map { $0.section ?? "" }) }
        return SectionedList(
            entries, isDivided: sectionKeyPath != nil, compare: ListKey.comparison(basis.plan.fetch.sort))
    }

    /// Reads the objects that sort keys and section names lead through, few statements for many objects.
    /// - Returns: whether all of them were read now.
    private func gatherRelated(_ objects: [NSManagedObject], _ basis: Basis) throws -> Bool {
        var areFresh = true
        for path in basis.dependencies.pathsToRead {
            var current = objects
            for key in path.dropLast() {
                var seen: Set<ObjectIdentifier> = []
                var next: [NSManagedObject] = []
                for object in current {
                    guard let slot = object.layout.slots[key], object.layout.toOnes.contains(slot),
                        let other = object.peekToOne(slot), seen.insert(ObjectIdentifier(other)).inserted
                    else { continue }
                    next.append(other)
                    if related.insert(ListedObject(object: other)).inserted {
                        areFresh = areFresh && other.isFault && other.snapshot == nil && !other.isInserted
                    }
                }
                guard let first = next.first else { break }
                try context.fill(next, of: first.layout.entity.root)
                current = next
            }
        }
        return areFresh
    }

    /// Keeps alive what an object's keys and section name were read from.
    func keepRelated(of object: NSManagedObject, _ basis: Basis) {
        for path in basis.dependencies.pathsToRead {
            var object = object
            for key in path.dropLast() {
                guard let slot = object.layout.slots[key], object.layout.toOnes.contains(slot),
                    let next = object.peekToOne(slot)
                else { break }
                related.insert(ListedObject(object: next))
                object = next
            }
        }
    }

    private func checkTypes(_ objects: [NSManagedObject]) throws {
        var checked: Set<ObjectIdentifier> = []
        for object in objects where checked.insert(ObjectIdentifier(object.layout)).inserted {
            if !accepts(object) { throw unfit(object) }
        }
    }

    // MARK: The list of IDs

    /// Keeps a list of IDs beside the list of objects from now on.
    func startMirror() {
        guard mirror == nil, let list, let basis else { return }
        let entries = list.snapshot.items.compactMap { item in
            list.entry(of: item).map { ListEntry(item.object.objectID, key: $0.key, section: $0.section) }
        }
        mirror = SectionedList(
            entries, isDivided: sectionKeyPath != nil, compare: ListKey.comparison(basis.plan.fetch.sort))
    }

    /// The list was made again: so is the list of IDs, and readers of snapshots learn how it differs.
    private func renewMirror() {
        let old = mirror?.snapshot
        mirror = nil
        outbox = []
        guard !streams.isEmpty || delegateStyle == .snapshots else { return }
        startMirror()
        guard let mirror else { return }
        let changes = old.map { mirror.snapshot.changes(since: $0) } ?? IDListChanges()
        streams.send(FetchedResultsSnapshot(mirror.snapshot, changes))
    }

    /// A new sequence of snapshots.
    func openStream() -> AsyncStream<FetchedResultsSnapshot> {
        startMirror()
        sendOutbox()
        return streams.open(mirror.map { FetchedResultsSnapshot($0.snapshot, IDListChanges()) })
    }
}
