import Foundation
import StratusCoreData

/// Counts what a controller reports.
final class Listener: NSFetchedResultsControllerDelegate {
    var events = 0

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        events += 1
    }
}

/// One attribute changed and saved, until the controller has told of it; against fetching again.
struct ControllerWork {
    let store: ObjectStore
    let context: NSManagedObjectContext
    let controller: NSFetchedResultsController<PlayerObject>
    let listener = Listener()
    let players: [PlayerObject]

    init(_ store: ObjectStore) throws {
        self.store = store
        let context = store.container.newBackgroundContext()
        self.context = context
        let request = NSFetchRequest<PlayerObject>(entityName: "Player")
        request.sortDescriptors = [
            NSSortDescriptor(key: "city", ascending: true), NSSortDescriptor(key: "number", ascending: true),
        ]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "city", cacheName: nil)
        self.controller = controller
        controller.delegate = listener
        players = try context.performAndWait {
            try controller.performFetch()
            return controller.fetchedObjects ?? []
        }
    }

    /// One change, saved and told.
    func change(_ place: Int) throws {
        let before = listener.events
        try context.performAndWait {
            players[place].wins += 1
            try context.save()
        }
        guard listener.events > before else { fatalError("The controller told of no change.") }
    }

    func fetchAgain() throws {
        try context.performAndWait { try controller.performFetch() }
    }
}
