import CoreData

/// A subclass with a designated initializer of its own.
final class Draft: NSManagedObject {
    var origin = "unknown"

    init(entity: NSEntityDescription, origin: String, context: NSManagedObjectContext) {
        self.origin = origin
        super.init(entity: entity, insertInto: context)
    }

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
    }
}
