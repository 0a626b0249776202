#if Combine
@preconcurrency public import OpenCombine
@_spi(Companions) public import StratusCoreData

/// Told by a managed object that its values are about to change.
///
/// Unchecked because OpenCombine, of Swift 5, does not say that the publisher has a lock of its own.
private final class ChangePublisher: ManagedObjectWatcher, @unchecked Sendable {
    let publisher = ObservableObjectPublisher()

    func managedObjectWillChange() { publisher.send() }
}

// The conformance is Apple's. StratusCoreData knows nothing of Combine.
extension NSManagedObject: ObservableObject {
    /// Sends before a value of the object changes by an assignment or by undo, and after a refresh, a merge or a rollback
    /// has replaced its values: what is read then is new.
    public var objectWillChange: ObservableObjectPublisher {
        watcher { ChangePublisher() }.publisher
    }
}
#endif
