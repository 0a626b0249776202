/// A state of the stores that a context can go on reading while others write.
///
/// Unchecked sendable because the class is open, as Apple's is; the generations are used under the coordinator's lock.
open class NSQueryGenerationToken: NSObject, NSCopying, @unchecked Sendable {
    /// The stores as they are at the first read after it was set.
    public static let current = NSQueryGenerationToken(generations: nil)

    let generations: StoreGenerations?

    init(generations: StoreGenerations?) { self.generations = generations }

    /// Itself: a token does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The pinned state of each store.
final class StoreGenerations {
    private let byStore: [ObjectIdentifier: any StoreGeneration]

    init(_ coordinator: NSPersistentStoreCoordinator) throws {
        byStore = try coordinator.withLock {
            var found: [ObjectIdentifier: any StoreGeneration] = [:]
            for store in coordinator.graphStores {
                found[ObjectIdentifier(store)] = try store.openGeneration()
            }
            return found
        }
    }

    subscript(store: NSPersistentStore) -> (any StoreGeneration)? { byStore[ObjectIdentifier(store)] }
}
