internal import Synchronization

/// Hears of changes of an object. For the companion package, whose Combine makes publishers of it.
@_spi(Companions)
public protocol ManagedObjectWatcher: AnyObject, Sendable {
    /// A value is about to be set, or all values were replaced; called on the queue of the object's context.
    func managedObjectWillChange()
}

/// The watchers of objects that have one. Beside the objects, which nearly all have none and stay as small as they are.
private let watchers = Mutex<[ObjectIdentifier: any ManagedObjectWatcher]>([:])

@_spi(Companions)
extension NSManagedObject {
    /// The object's watcher, made at the first call; it goes with the object.
    ///
    /// - Parameter make: makes the watcher. All callers make the same type.
    public final func watcher<Watcher: ManagedObjectWatcher>(_ make: () -> Watcher) -> Watcher {
        let found = watchers.withLock { watchers in
            if let watcher = watchers[ObjectIdentifier(self)] as? Watcher { return watcher }
            let watcher = make()
            watchers[ObjectIdentifier(self)] = watcher
            return watcher
        }
        marks.insert(.watched)
        return found
    }
}

extension NSManagedObject {
    /// Tells the watcher, where there is one, that a value is about to change.
    func announceChange() {
        guard marks.contains(.watched) else { return }
        watchers.withLock { $0[ObjectIdentifier(self)] }?.managedObjectWillChange()
    }

    /// Tells the watcher, where there is one, that the values were replaced by a refresh, a merge or a rollback: they can
    /// be read, and are the new ones. Where the context is in the middle of that, it tells once it is done.
    func announceReplacement() {
        guard marks.contains(.watched) else { return }
        if managedObjectContext?.replaced?.append(self) == nil { announceChange() }
    }

    /// Lets the watcher go; only the object itself does, at its end.
    func forgetWatcher() {
        _ = watchers.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
    }
}

extension NSManagedObjectContext {
    /// Does work that replaces values of objects, and tells their watchers when it is done: rows may be read meanwhile,
    /// and a watcher that reads another object would be in the middle of that.
    func replacingValues<Result>(_ work: () throws -> Result) rethrows -> Result {
        guard replaced == nil else { return try work() }
        replaced = []
        defer { announceReplaced() }
        return try work()
    }

    /// Tells the watchers of the objects whose values were replaced so far.
    func announceReplaced() {
        let objects = replaced ?? []
        replaced = nil
        for object in objects { object.announceChange() }
    }
}
