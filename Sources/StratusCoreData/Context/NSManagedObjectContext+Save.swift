// Saving: hooks, validation, permanent IDs, the store, conflicts, and notifications.

extension NSManagedObjectContext {
    /// Saves; the context is the one whose work runs on this thread.
    func saveHere() throws {
        processPendingChanges()
        guard hasChanges else {
            if parent == nil { try ownCoordinator?.saveMetadata() }
            return
        }
        guard parent != nil || ownCoordinator != nil else { throw CoreDataError.noCoordinator.cocoa }
        adoptPermanentIDs()
        NotificationCenter.default.post(name: Self.willSaveObjectsNotification, object: self)
        followFailedDeletesAgain()
        propagateAllDeletes()
        try runWillSave()
        propagateAllDeletes()
        processPendingChanges()
        try validateChanges()
        // Validation may have put better values in place.
        processPendingChanges()
        let saved: SavedObjects
        if let parent {
            saved = try saveToParent(parent)
        } else {
            saved = try saveToStores()
        }
        finish(saved)
    }

    /// Calls `willSave` of every changed object, again while that changes objects.
    ///
    /// - Throws: `CocoaError` 134060 when it never ends.
    private func runWillSave() throws {
        for object in changed { object.marks.remove(.toldOfSave) }
        for _ in 0..<Self.willSaveRounds {
            let open = changed.filter { $0.hasChanges && !$0.marks.contains(.toldOfSave) }
            if open.isEmpty { return }
            for object in open {
                object.marks.insert(.toldOfSave)
                object.willSave()
            }
            // Changed by its own hook or by another object's: its hook runs again.
            for object in pending.ofEvent where object.event.isUpdated {
                object.marks.remove(.toldOfSave)
            }
            propagateAllDeletes()
            processPendingChanges()
        }
        throw CoreDataError(
            134060, "Failed to process pending changes before save: willSave keeps changing objects.",
            remedy: "In willSave set a value only where it differs from the one that is there."
        ).cocoa
    }

    /// How often `willSave` may change objects before a save gives up.
    private static var willSaveRounds: Int { 1_000 }

    private func validateChanges() throws {
        var errors = errorsOfDeletes
        for object in changed where object.hasChanges {
            do {
                if object.isDeleted {
                    if !object.isInserted, !object.life.isInaccessible {
                        try object.validateForDelete()
                    }
                } else if object.isInserted {
                    if object.entity.isAbstract {
                        throw ValidationErrors.error(
                            1550,
                            "\(object.entity.name ?? "?") is abstract, so it has no objects of its own.",
                            object,
                            "entity", nil)
                    }
                    try object.validateForInsert()
                } else {
                    try object.validateForUpdate()
                }
            } catch {
                errors.append(error)
            }
        }
        if let error = ValidationErrors.combined(errors) { throw error }
    }

    // MARK: To the stores

    private func saveToStores() throws -> SavedObjects {
        guard let coordinator = ownCoordinator else { throw CoreDataError.noCoordinator.cocoa }
        let resolver = ConflictResolver(context: self)
        while true {
            // A policy may make objects too.
            try assignPermanentIDs(to: changed.filter { $0.isInserted && !$0.isDeleted })
            var collected = (StoreChanges(), SavedObjects())
            if let error = errorOfReading({ collected = collectChanges() }) { throw error }
            let (changes, saved) = collected
            do {
                let result = try asAsking { try coordinator.save(changes, from: self) }
                return saved.taking(result)
            } catch let conflicts as StoreConflicts {
                try resolver.resolve(conflicts)
            } catch let incomplete as IncompleteSave {
                finish(saved.taking(incomplete.result).part(of: incomplete.committed))
                throw incomplete.error
            }
        }
    }

    /// Asks the stores in the name of this context; stores of the app's own want to know who asks.
    func asAsking<Result>(_ question: () throws -> Result) rethrows -> Result {
        guard ownCoordinator?.hasStoresOfTheApp == true else { return try question() }
        return try CurrentContext.run(self, question)
    }

    /// What the stores are asked to write.
    private func collectChanges() -> (StoreChanges, SavedObjects) {
        var changes = StoreChanges()
        changes.contextName = name
        changes.author = transactionAuthor
        var saved = SavedObjects()
        for object in changed where object.hasChanges {
            if object.isDeleted {
                guard !object.isInserted else { continue }
                saved.deleted.append(object)
                guard !object.life.isInaccessible else { continue }
                changes.deleted.append(object.change(base: object.snapshot))
            } else if object.isInserted {
                changes.inserted.append(object.change(base: nil))
                saved.inserted.append(object)
            } else {
                saved.updated.append(object)
                let change = object.change(base: object.snapshot)
                if !change.changedSlots.isEmpty || !change.toManys.isEmpty { changes.updated.append(change) }
            }
        }
        return (changes, saved)
    }

    // MARK: Afterwards

    /// The changes are saved: objects are clean, hooks run, notifications are posted.
    private func finish(_ saved: SavedObjects) {
        let derived = saved.hasDerivedValues ? takeDerived(saved) : nil
        if saved.insertedRows.count == saved.inserted.count {
            for (place, object) in saved.inserted.enumerated() { object.settle(saved.insertedRows[place]) }
        } else {
            for object in saved.inserted { object.settle(saved.snapshots[object.objectID]) }
        }
        for object in saved.updated { object.settle(saved.snapshots[object.objectID]) }
        for object in saved.deleted { object.life.saveDelete() }
        pending.compact()
        // What hooks do from here on is to be saved next time.
        for object in saved.inserted { object.didSave() }
        for object in saved.updated { object.didSave() }
        for object in saved.deleted { object.didSave() }
        for object in saved.deleted {
            registry.leave(object)
            object.turnGone()
        }
        pending.compact()
        assert(pending.isConsistent, "A save leaves nothing pending but what its hooks did.")
        if generation != nil { repin() }
        tellListeners { $0.contextDidSave() }
        if let derived { tellDerived(derived) }
        announce(saved)
    }

    private func announce(_ saved: SavedObjects) {
        var objects: [AnyHashable: Any] = [
            NSInsertedObjectsKey: Set(saved.inserted),
            NSUpdatedObjectsKey: Set(saved.updated),
            NSDeletedObjectsKey: Set(saved.deleted),
        ]
        objects["newChangeToken"] = saved.historyToken
        objects[NotificationKey.queryGeneration.rawValue] = queryGenerationToken
        NotificationCenter.default.post(
            name: Self.didSaveObjectsNotification, object: self, userInfo: objects)
        var objectIDs: [AnyHashable: Any] = [
            NSInsertedObjectIDsKey: Set(saved.inserted.map(\.objectID)),
            NSUpdatedObjectIDsKey: Set(saved.updated.map(\.objectID)),
            NSDeletedObjectIDsKey: Set(saved.deleted.map(\.objectID)),
        ]
        objectIDs["newChangeToken"] = saved.historyToken
        objectIDs[NotificationKey.queryGeneration.rawValue] = queryGenerationToken
        NotificationCenter.default.post(
            name: Self.didSaveObjectIDsNotification, object: self, userInfo: objectIDs)
        ownCoordinator?.announceSave(from: self, saved)
    }
}

/// The objects of a save, and what became of them.
struct SavedObjects {
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []
    var snapshots: [NSManagedObjectID: Snapshot] = [:]
    /// The rows of the new objects, in their order; empty where ``snapshots`` has them.
    var insertedRows: [Snapshot?] = []
    /// Objects besides these that have other derived values now; their rows are in ``snapshots``.
    var derived: [NSManagedObjectID] = []
    var historyToken: NSPersistentHistoryToken?

    /// Whether the store computed anything.
    var hasDerivedValues: Bool {
        !derived.isEmpty || inserted.contains { !$0.layout.derived.isEmpty }
            || updated.contains { !$0.layout.derived.isEmpty }
    }

    /// The objects of some of the stores.
    func part(of stores: Set<String>) -> SavedObjects {
        var part = self
        let isOfStore = { (object: NSManagedObject) in
            object.objectID.storeIdentifier.map(stores.contains) ?? false
        }
        part.inserted = inserted.filter(isOfStore)
        part.updated = updated.filter(isOfStore)
        part.deleted = deleted.filter(isOfStore)
        return part
    }

    func taking(_ result: StoreSaveResult) -> SavedObjects {
        var saved = self
        saved.snapshots = result.snapshots
        saved.insertedRows = result.insertedRows
        saved.derived = result.derived
        saved.historyToken = result.historyToken
        return saved
    }
}
