import CoreData

/// Work of a background context under strict concurrency.
struct BackgroundImport: Sendable {
    let container: NSPersistentContainer

    func insert(titles: [String]) async throws -> Int {
        let context = container.newBackgroundContext()
        return try await context.perform {
            for title in titles {
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue(title, forKey: "title")
            }
            try context.save()
            return try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
        }
    }
}
