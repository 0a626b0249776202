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

extension NSManagedObjectContext {
    /// Moves the pin on to the newest state: after a save, a merge and a reset.
    func repin() {
        guard generation != nil, let coordinator = coordinatorOfChain else { return }
        do {
            let pinned = try StoreGenerations(coordinator)
            generation = pinned
            pinnedToken = NSQueryGenerationToken(generations: pinned)
        } catch {
            report(error, "pinning the context to the newest state of its stores")
        }
    }

    /// Pins the context to a state of the stores; nil lets it read the newest.
    func pin(to token: NSQueryGenerationToken?) throws {
        guard let token else {
            pinnedToken = nil
            generation = nil
            return
        }
        guard let coordinator = coordinatorOfChain else { throw CoreDataError.noCoordinator.cocoa }
        let pinned = try token.generations ?? StoreGenerations(coordinator)
        generation = pinned
        pinnedToken = NSQueryGenerationToken(generations: pinned)
    }
}
