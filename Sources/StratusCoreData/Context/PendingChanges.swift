/// What happened in a context and was not saved yet, and the part of it that its last event has not ended: the one place
/// that keeps the lists and the objects' marks of being in them.
///
/// A class, since the app's code may look at it while it changes: releasing an object runs the object's `deinit`.
///
/// An object is in ``objects`` from its first change to the save, rollback or reset that ends it, and in ``ofEvent``
/// from its first change in an event to the end of that event.
final class PendingChanges {
    /// The objects that are new, changed or to be deleted; some may have stopped being so.
    private(set) var objects: [NSManagedObject] = []
    /// The objects that something happened to since changes were last processed.
    private(set) var ofEvent: [NSManagedObject] = []

    /// Notes an object that changed.
    ///
    /// - Returns: whether it is new in the event.
    func note(_ object: NSManagedObject) -> Bool {
        if object.marks.insert(.listed).inserted { objects.append(object) }
        guard object.event.list() else { return false }
        ofEvent.append(object)
        return true
    }

    /// Ends the event, and says what happened in it; new objects that were deleted are to leave the context.
    func takeEvent() -> ContextEvent {
        var event = ContextEvent()
        for object in ofEvent {
            let marks = object.event.take()
            if marks.isDeleted, object.life.isDeleted {
                if object.life.isInserted {
                    // Never saved, so nothing is left to be deleted; others only hear of it if they knew it.
                    if !marks.isInserted { event.deleted.append(object) }
                    event.dropped.append(object)
                } else {
                    event.deleted.append(object)
                }
            } else if marks.isInserted {
                event.inserted.append(object)
            } else if marks.isRefreshed {
                event.refreshed.append(object)
            } else if marks.isUpdated {
                event.updated.append(object)
            }
        }
        ofEvent = []
        return event
    }

    /// Leaves out the objects that are changed no more, and those that are gone for good.
    func compact() {
        objects = objects.filter { object in
            let stays = object.life.hasChanges && !object.life.isGone
            if !stays { object.marks.remove(.listed) }
            return stays
        }
    }

    /// Forgets all changes; the objects of the event stay in theirs.
    ///
    /// - Returns: the objects that were changed.
    func takeAll() -> [NSManagedObject] {
        defer { objects = [] }
        for object in objects { object.marks.remove(.listed) }
        return objects
    }

    /// Forgets everything, also the event.
    func reset() {
        _ = takeAll()
        for object in ofEvent { _ = object.event.take() }
        ofEvent = []
    }

    /// Whether lists and marks agree. For assertions, so it looks at no more than a few hundred.
    var isConsistent: Bool { isConsistent(upTo: 256) }

    /// Whether the first so many objects of both lists have the marks of being in them.
    func isConsistent(upTo count: Int) -> Bool {
        objects.prefix(count).allSatisfy { $0.marks.contains(.listed) && $0.life.isConsistent }
            && ofEvent.prefix(count).allSatisfy(\.event.isListed)
    }
}
