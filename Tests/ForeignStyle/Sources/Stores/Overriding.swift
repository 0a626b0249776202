import CoreData

/// A context that counts its saves, an object that says when it goes, a container with a place of its own.
final class CountingContext: NSManagedObjectContext {
    private(set) var saves = 0
    private(set) var deletions = 0

    override func save() throws {
        saves += 1
        try super.save()
    }

    override func delete(_ object: NSManagedObject) {
        deletions += 1
        super.delete(object)
    }

    override func perform(_ block: @escaping () -> Void) {
        super.perform(block)
    }
}

final class PlacedContainer: NSPersistentContainer {
    static var place = URL(fileURLWithPath: NSTemporaryDirectory())

    override class func defaultDirectoryURL() -> URL { place }

    override var viewContext: NSManagedObjectContext {
        super.viewContext
    }
}
