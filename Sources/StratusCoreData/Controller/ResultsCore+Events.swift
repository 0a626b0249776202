import SectionedLists

extension ResultsCore: ContextEventListener {
    func contextDidChange(_ event: ContextEvent) {
        guard let basis, !isLost else { return }
        if event.invalidatesAll {
            // After a reset no changes are sent: the list is as it was until the next fetch.
            isLost = true
            queue = []
            return
        }
        guard isTracking else {
            if !isStale { isStale = concerns(event, basis) }
            return
        }
        queue.append(.event(event))
        processQueue()
    }

    func wantsNotice(ofEntity number: Int) -> Bool {
        guard let basis, !isLost else { return false }
        return basis.family.contains(number) || basis.dependencies.entityNumbers.contains(number)
    }

    func contextDidSave() {
        if !isDelivering { sendOutbox() }
        guard !unsaved.isEmpty else { return }
        var event = ContextEvent()
        event.updated = unsaved
        event.isMerge = true
        unsaved = []
        contextDidChange(event)
    }

    func wantsNotice(_ object: NSManagedObject, _ basis: Basis) -> Bool {
        basis.family.contains(object.layout.number)
            || basis.dependencies.entityNumbers.contains(object.layout.number)
    }

    /// Whether an event is about an object that matters to the list.
    private func concerns(_ event: ContextEvent, _ basis: Basis) -> Bool {
        event.all.contains { wantsNotice($0, basis) }
    }

    /// Works off the events; those that a delegate causes during a call wait for their turn.
    private func processQueue() {
        guard !isDelivering else { return }
        isDelivering = true
        defer { isDelivering = false }
        while !queue.isEmpty, !isLost {
            switch queue.removeFirst() {
            case .event(let event): process(event)
            case .changes(let changes, let new): deliver(changes, new)
            }
        }
        sendOutbox()
    }

    private func process(_ event: ContextEvent) {
        guard let basis, list != nil else { return }
        if isStale {
            isStale = false
            return catchUp(event, basis)
        }
        if !basis.includesPending, !event.isMerge {
            unsaved += event.all.filter { wantsNotice($0, basis) }
            return
        }
        let edits = edits(for: event, basis)
        guard !edits.isEmpty else { return }
        apply(edits)
    }

    // MARK: From events to edits

    private func edits(for event: ContextEvent, _ basis: Basis) -> [ListEdit<ListedObject, ListKey>] {
        var edits: [ListEdit<ListedObject, ListKey>] = []
        for object in event.deleted + event.invalidated where basis.family.contains(object.layout.number) {
            edits.append(.remove(ListedObject(object: object)))
        }
        let changed = (event.inserted + event.updated + event.refreshed + event.noticed)
            .filter { basis.family.contains($0.layout.number) }
        var dependents: [NSManagedObject] = []
        do {
            dependents = try basis.dependencies.dependents(of: event, in: context) {
                self.list?.snapshot.items.map(\.object) ?? []
            }
            dependents.removeAll { !basis.family.contains($0.layout.number) }
            try context.fill(changed + dependents, of: basis.plan.fetch.entity.root)
        } catch {
            context.report(error, "following changes of \(basis.plan.fetch.entity.name ?? "?")")
        }
        // A new object that is edited before it is saved is not reported as updated.
        for object in changed {
            if let edit = edit(object, contentChanged: !object.isInserted, basis) { edits.append(edit) }
        }
        for object in dependents {
            if let edit = edit(object, contentChanged: false, basis) { edits.append(edit) }
        }
        return edits
    }

    /// What is to become of an object's position; nil where nothing is.
    private func edit(
        _ object: NSManagedObject, contentChanged: Bool, _ basis: Basis
    ) -> ListEdit<ListedObject, ListKey>? {
        let item = ListedObject(object: object)
        let isListed = list?.contains(item) ?? false
        if !basis.includesPending, object.hasChanges, !object.life.isGone {
            unsaved.append(object)
            return nil
        }
        do {
            guard isThere(object, basis), try context.matches(basis.plan.fetch.predicate, object),
                !object.isDeleted
            else { return isListed ? .remove(item) : nil }
        } catch {
            context.report(error, "following changes of \(basis.plan.fetch.entity.name ?? "?")")
            return nil
        }
        keepRelated(of: object, basis)
        if object.objectID.isTemporary { temporaries.insert(ObjectIdentifier(object)) }
        return .put(basis.reader.entry(object), contentChanged: contentChanged)
    }

    /// Whether an object exists as far as this context knows. A fault whose row has vanished is left as it is.
    private func isThere(_ object: NSManagedObject, _ basis: Basis) -> Bool {
        guard object.managedObjectContext === context, !object.isDeleted,
            !object.life.isGone && !object.life.isInaccessible
        else { return false }
        if let stores = request.affectedStores, let store = object.objectID.persistentStore,
            !stores.contains(where: { $0 === store })
        {
            return false
        }
        return !object.isFault || object.snapshot != nil || object.objectID.isTemporary
    }

    // MARK: From edits to changes

    private func apply(_ edits: [ListEdit<ListedObject, ListKey>]) {
        // Removed objects are found in the list of IDs by the IDs they have now.
        let changes = list?.apply(edits) ?? ObjectListChanges()
        for case .remove(let item) in edits { temporaries.remove(ObjectIdentifier(item.object)) }
        if mirror != nil {
            let mirrored = mirror?.apply(edits.map(Self.mirrored)) ?? IDListChanges()
            if !mirrored.isEmpty, let mirror { outbox.append((mirror.snapshot, mirrored)) }
        }
        deliver(changes, list?.snapshot ?? shown)
    }

    private static func mirrored(
        _ edit: ListEdit<ListedObject, ListKey>
    ) -> ListEdit<NSManagedObjectID, ListKey> {
        switch edit {
        case .remove(let item): .remove(item.object.objectID)
        case .put(let entry, let contentChanged):
            .put(
                ListEntry(entry.item.object.objectID, key: entry.key, section: entry.section),
                contentChanged: contentChanged)
        }
    }

    /// Fetches again because changes were missed while nobody listened, and reports all at once.
    private func catchUp(_ event: ContextEvent, _ basis: Basis) {
        do {
            let new = try makeList(basis)
            let content = Set((event.updated + event.refreshed).map { ListedObject(object: $0) })
            let changes = new.snapshot.changes(since: shown, contentChanged: content)
            list = new
            if let old = mirror?.snapshot {
                mirror = nil
                startMirror()
                if let mirror {
                    outbox.append((mirror.snapshot, mirror.snapshot.changes(since: old)))
                }
            }
            deliver(changes, new.snapshot)
        } catch {
            isStale = true
            context.report(error, "fetching \(basis.plan.fetch.entity.name ?? "?") again")
        }
    }

    // MARK: New IDs

    func contextWillAssignIDs(to objects: [NSManagedObject]) {
        guard !temporaries.isEmpty else { return }
        let own = objects.filter { temporaries.contains(ObjectIdentifier($0)) }
        // Where all new objects get IDs at once, in the order they were made, the order stays.
        guard !own.isEmpty, own.count < temporaries.count, let before = list?.snapshot else { return }
        suspended = (before, own.compactMap { list?.entry(of: ListedObject(object: $0)) })
        list?.apply(own.map { ListEdit.remove(ListedObject(object: $0)) })
    }

    func contextDidAssignIDs(_ assigned: [(object: NSManagedObject, former: NSManagedObjectID)]) {
        guard list != nil else { return }
        // The predicate may name one of them.
        let predicate = basis?.plan.fetch.predicate?.withCurrentIDs
        basis?.plan.fetch.predicate = predicate
        for (object, _) in assigned { temporaries.remove(ObjectIdentifier(object)) }
        var changes = ObjectListChanges()
        if let suspended {
            self.suspended = nil
            list?.apply(suspended.entries.map { ListEdit.put($0, contentChanged: false) })
            changes = list?.snapshot.changes(since: suspended.before) ?? changes
        }
        if mirror != nil {
            var edits: [ListEdit<NSManagedObjectID, ListKey>] = []
            for (object, former) in assigned {
                guard let entry = list?.entry(of: ListedObject(object: object)) else { continue }
                edits.append(.remove(former))
                edits.append(
                    .put(
                        ListEntry(object.objectID, key: entry.key, section: entry.section),
                        contentChanged: false))
            }
            let mirrored = mirror?.apply(edits) ?? IDListChanges()
            if !mirrored.isEmpty, let mirror { outbox.append((mirror.snapshot, mirrored)) }
        }
        guard !changes.isEmpty, let after = list?.snapshot else { return }
        // The list has them already, so they come before the events that wait.
        let place = queue.firstIndex { if case .event = $0 { true } else { false } } ?? queue.endIndex
        queue.insert(.changes(changes, after), at: place)
        processQueue()
    }
}
