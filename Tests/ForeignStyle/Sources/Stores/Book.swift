import CoreData

/// A class by hand, with a hook and a property of its own.
public final class Book: NSManagedObject {
    @NSManaged public var identifier: UUID?
    @NSManaged public var pages: Int32
    @NSManaged public var published: Date?
    @NSManaged public var title: String
    @NSManaged public var author: Author?

    override public func awakeFromInsert() {
        super.awakeFromInsert()
        identifier = UUID()
    }

    var isLong: Bool { pages > 300 }
}
