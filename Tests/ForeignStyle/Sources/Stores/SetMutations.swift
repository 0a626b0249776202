import CoreData

/// The accessors of a to-many relationship as they were written by hand.
extension Author {
    func add(_ book: Book) {
        let changed: Set<AnyHashable> = [book]
        willChangeValue(forKey: "books", withSetMutation: .union, using: changed)
        (primitiveValue(forKey: "books") as? NSMutableSet)?.add(book)
        didChangeValue(forKey: "books", withSetMutation: .union, using: changed)
    }
}
