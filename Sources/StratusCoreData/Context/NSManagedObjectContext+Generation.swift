// Reading a state of the stores that others' saves do not change.

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
