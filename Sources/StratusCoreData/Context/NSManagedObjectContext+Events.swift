/// What happened in a context since changes were last processed.
struct ContextEvent {
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []
    var refreshed: [NSManagedObject] = []
    var invalidated: [NSManagedObject] = []
    var invalidatesAll = false
    /// The IDs of the objects that a reset forgot.
    var invalidatedIDs: [NSManagedObjectID] = []
    /// New objects that were deleted before they were saved; nobody heard of them, so nobody hears that they are gone.
    var dropped: [NSManagedObject] = []
    /// Objects that others changed and that were not known here before; only listeners hear of them.
    var noticed: [NSManagedObject] = []
    /// Which slots of an object changed, where that is known; any of them may have where it is not.
    var changedSlots: [ObjectIdentifier: SlotSet] = [:]
    /// Whether the changes were saved elsewhere.
    var isMerge = false

    /// All objects that the event is about.
    var all: [NSManagedObject] { inserted + updated + refreshed + noticed + deleted + invalidated }

    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && invalidated.isEmpty
            && !invalidatesAll
    }
}

/// Hears of each event of a context, before its notification is posted.
protocol ContextEventListener: AnyObject {
    func contextDidChange(_ event: ContextEvent)
    /// Whether the listener wants to hear of objects of an entity that others changed and nobody knows here.
    func wantsNotice(ofEntity number: Int) -> Bool
    /// New objects are about to get their permanent IDs.
    func contextWillAssignIDs(to objects: [NSManagedObject])
    /// New objects have got their permanent IDs.
    func contextDidAssignIDs(_ assigned: [(object: NSManagedObject, former: NSManagedObjectID)])
    /// The changes are saved, or new objects got their IDs outside of a save.
    func contextDidSave()
}

/// A listener that its context does not keep alive.
struct WeakEventListener {
    weak var listener: (any ContextEventListener)?
}

extension NSManagedObjectContext {
    /// Ends an event: follows deletes, records what can be undone, and posts what changed.
    func endEvent() {
        guard !activity.contains(.processing), !pending.ofEvent.isEmpty else { return }
        activity.insert(.processing)
        propagateDeletes(ofNewObjectsOnly: !propagatesDeletesAtEndOfEvent)
        var event = pending.takeEvent()
        for object in event.dropped { drop(object) }
        if !event.isEmpty { recordForUndo(event) }
        let dropped = event.dropped
        event.dropped = []
        // Objects that were never saved and are deleted lead nowhere; undo has noted what they led to.
        for object in dropped { object.letGo() }
        if !dropped.isEmpty { pending.compact() }
        if !eventListeners.isEmpty {
            for object in event.updated where !object.eventOld.isEmpty {
                event.changedSlots[ObjectIdentifier(object)] = SlotSet(object.eventOld.keys)
            }
        }
        activity.remove(.processing)
        if !event.isEmpty { publish(event) }
        for object in event.inserted + event.updated + event.refreshed + event.deleted {
            object.eventOldAfterEvent()
        }
        assert(pending.isConsistent, "An object is in a list without its mark, or the other way round.")
    }

    /// Announces an event.
    func publish(_ event: ContextEvent) {
        tellListeners { $0.contextDidChange(event) }
        var info: [AnyHashable: Any] = [:]
        info[NSInsertedObjectsKey] = event.inserted.isEmpty ? nil : Set(event.inserted)
        info[NSUpdatedObjectsKey] = event.updated.isEmpty ? nil : Set(event.updated)
        info[NSDeletedObjectsKey] = event.deleted.isEmpty ? nil : Set(event.deleted)
        info[NSRefreshedObjectsKey] = event.refreshed.isEmpty ? nil : Set(event.refreshed)
        info[NSInvalidatedObjectsKey] = event.invalidated.isEmpty ? nil : Set(event.invalidated)
        if event.invalidatesAll { info[NSInvalidatedAllObjectsKey] = event.invalidatedIDs }
        NotificationCenter.default.post(
            name: Self.didChangeObjectsNotification, object: self, userInfo: info)
    }

    func tellListeners(_ tell: (any ContextEventListener) -> Void) {
        guard !eventListeners.isEmpty else { return }
        eventListeners.removeAll { $0.listener == nil }
        for weak in eventListeners { if let listener = weak.listener { tell(listener) } }
    }

    /// A new object leaves before it was saved.
    func drop(_ object: NSManagedObject) {
        object.life.drop()
        registry.leave(object)
    }
}

extension NSManagedObject {
    /// Forgets what the slots held before the event, unless its listeners have begun another one.
    func eventOldAfterEvent() {
        if !eventOld.isEmpty, !event.isListed { eventOld = [:] }
    }
}
