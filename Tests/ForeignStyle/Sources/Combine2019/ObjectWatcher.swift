import Combine
import CoreData

/// `objectWillChange` of a managed object, as views listen to it.
final class ObjectWatcher {
    private(set) var changes = 0
    private var cancellable: AnyCancellable?

    init(_ object: NSManagedObject) {
        cancellable = object.objectWillChange.sink { [weak self] _ in self?.changes += 1 }
    }
}
