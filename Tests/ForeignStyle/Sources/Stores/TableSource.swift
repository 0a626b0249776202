import CoreData

/// The delegate of a list.
final class TableSource: NSObject, NSFetchedResultsControllerDelegate {
    let controller: NSFetchedResultsController<Book>
    private(set) var log: [String] = []

    init(context: NSManagedObjectContext) {
        let books = NSFetchRequest<Book>(entityName: "Book")
        books.sortDescriptors = [NSSortDescriptor(keyPath: \Book.title, ascending: true)]
        controller = NSFetchedResultsController(
            fetchRequest: books, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        super.init()
        controller.delegate = self
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        switch type {
        case .insert: log.append("insert \(newIndexPath?.row ?? -1)")
        case .delete: log.append("delete \(indexPath?.row ?? -1)")
        case .move: log.append("move")
        case .update: log.append("update")
        @unknown default: break
        }
    }
}
