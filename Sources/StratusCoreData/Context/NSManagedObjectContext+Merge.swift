// Taking over what others saved.

extension NSManagedObjectContext {
    func merge(_ remote: RemoteChanges) {
        ConcurrencyCheck.check(self)
        let changes = remote.resolved(coordinatorOfChain)
        processPendingChanges()
        activity.insert(.merging)
        replaced = replaced ?? []
        adoptPermanentIDs()
        repin()
        var event = ContextEvent()
        event.isMerge = true
        var unsaved: [NSManagedObject] = []
        var unread: Set<NSManagedObject> = []
        for objectID in changes.deleted {
            guard let object = registry.object(objectID), !object.isDeleted || object.hasChanges else {
                continue
            }
            object.life.deleteElsewhere()
            if object.isFault, object.snapshot == nil { unread.insert(object) } else { unlink(object) }
            event.deleted.append(object)
        }
        unlinkUnread(unread)
        for objectID in changes.inserted {
            // An object made elsewhere matters to whoever shows a list, so it is registered.
            let object = object(with: objectID)
            if object.isFault { event.inserted.append(object) } else { refreshForMerge(object, &event) }
        }
        for objectID in changes.updated {
            guard let object = registry.object(objectID) else {
                // Nobody here knows it, but it may belong into a list from now on.
                if isNoticed(objectID) { event.noticed.append(object(with: objectID)) }
                continue
            }
            guard !object.life.isGone else { continue }
            // One that is to be deleted here is read too, so that the delete is based on what was merged.
            if object.isDeleted { unsaved.append(object) } else { refreshForMerge(object, &event) }
        }
        fillForMerge(event.inserted + event.refreshed + event.noticed + unsaved, &event)
        for object in unsaved {
            // Others may have made new objects point at it: these have to let it go as well.
            object.life.followDeleteAgain()
            list(object)
        }
        // What losing the deleted objects changed here is part of the event, and nothing to undo: neither is a delete of
        // this context that reaches objects which others made point at the deleted one.
        activity.remove(.merging)
        undoManager?.disableUndoRegistration()
        processPendingChanges()
        undoManager?.enableUndoRegistration()
        announceReplaced()
        if !event.isEmpty {
            publish(event)
        } else if !event.noticed.isEmpty {
            tellListeners { $0.contextDidChange(event) }
        }
        for object in event.deleted { retire(object) }
        pending.compact()
        processPendingChanges()
        NotificationCenter.default.post(
            name: Self.didMergeChangesObjectIDsNotification, object: self,
            userInfo: [
                NSInsertedObjectIDsKey: Set(changes.inserted), NSUpdatedObjectIDsKey: Set(changes.updated),
                NSDeletedObjectIDsKey: Set(changes.deleted),
                NotificationKey.refreshedObjectIDs.rawValue: Set(event.refreshed.map(\.objectID)),
            ])
    }

    /// An object that others deleted and saved: it says that it is deleted, and stays with its context, which has
    /// nothing to save for it and will not find it any more.
    private func retire(_ object: NSManagedObject) {
        registry.hide(object)
        object.life.retire()
        object.letGo()
    }

    func isNoticed(_ objectID: NSManagedObjectID) -> Bool {
        let number = objectID.entity.layout.number
        return eventListeners.contains { $0.listener?.wantsNotice(ofEntity: number) ?? false }
    }

    private func refreshForMerge(_ object: NSManagedObject, _ event: inout ContextEvent) {
        event.refreshed.append(object)
    }

    /// Reads the rows of merged objects, few statements for many objects; unsaved changes stay on top.
    private func fillForMerge(_ objects: [NSManagedObject], _ event: inout ContextEvent) {
        let byRoot = Dictionary(grouping: objects) { $0.layout.rootNumber }
        for group in byRoot.values {
            guard let first = group.first else { continue }
            var start = 0
            while start < group.count {
                let end = min(start + 500, group.count)
                readForMerge(Array(group[start..<end]), root: first.layout.entity.root, &event)
                start = end
            }
        }
    }

    private func readForMerge(
        _ objects: [NSManagedObject], root: NSEntityDescription, _ event: inout ContextEvent
    ) {
        var fetch = StoreFetch(entity: root)
        let values = objects.map { PredicateValue.object(PredicateObject($0.objectID)) }
        fetch.predicate = .compare(.selfObject, .in, .constant(.list(values)))
        do {
            try rows(fetch, withRows: true) { row in
                let objectID = NSManagedObjectID(
                    reference: row.reference, layout: row.layout, anchor: row.anchor)
                let former = registry.object(objectID)?.snapshot
                let known = object(row, snapshot: row.snapshot)
                // A store of the app's own finds objects without their values.
                guard let snapshot = try row.snapshot ?? self.row(of: known.objectID)?.snapshot else {
                    return
                }
                let object = known
                let wasFault = object.isFault
                if object.isDeleted {
                    // Its relationships are read again, since others may have made new objects point at it.
                    object.take(snapshot, keepingChanges: true)
                    return
                }
                object.take(snapshot, keepingChanges: true)
                refreshPartners(of: object, former, snapshot, &event)
                if let former, !eventListeners.isEmpty {
                    event.changedSlots[ObjectIdentifier(object)] = snapshot.difference(
                        from: former, object.layout)
                }
                if !wasFault { object.awakeQuietly { object.awake(fromSnapshotEvents: .refresh) } }
            }
        } catch {
            report(error, "merging changes")
        }
    }

    /// Makes the other sides of to-one relationships that others changed read theirs again: whoever saved need not
    /// have known them.
    private func refreshPartners(
        of object: NSManagedObject, _ former: Snapshot?, _ snapshot: Snapshot, _ event: inout ContextEvent
    ) {
        let layout = object.layout
        for slot in layout.toOnes {
            guard layout.relationshipDescriptions[slot]?.inverseRelationship?.isToMany == true else {
                continue
            }
            let old = former?.value(slot, layout) ?? .null
            let new = snapshot.value(slot, layout)
            guard old != new else { continue }
            for case .reference(let objectID) in [old, new] {
                guard let partner = registry.object(objectID), !partner.isFault, !partner.isDeleted,
                    let row = partner.snapshot
                else { continue }
                partner.take(row, keepingChanges: true)
                if event.changedSlots[ObjectIdentifier(partner)] == nil {
                    event.refreshed.append(partner)
                    event.changedSlots[ObjectIdentifier(partner)] = SlotSet(partner.layout.toManys)
                }
            }
        }
    }

    // MARK: Taking over automatically

    /// Starts or stops listening for saves of the parent or of the coordinator's other contexts.
    func listen() {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
        observers = []
        guard automaticallyMergesChangesFromParent else {
            ownCoordinator?.unsubscribe(self)
            return
        }
        if let parent {
            let observer = NotificationCenter.default.addObserver(
                forName: Self.didSaveObjectIDsNotification, object: parent, queue: nil
            ) { [weak self] notification in
                guard let self, let info = notification.userInfo else { return }
                let changes = RemoteChanges(info)
                perform { self.merge(changes) }
            }
            observers = [observer]
        } else {
            ownCoordinator?.subscribe(self)
        }
    }
}
