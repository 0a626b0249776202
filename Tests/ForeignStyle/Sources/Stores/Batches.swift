import CoreData

/// Batch requests with what they return.
enum BatchWork {
    static func insert(_ titles: [String], in context: NSManagedObjectContext) throws -> [NSManagedObjectID] {
        let request = NSBatchInsertRequest(
            entityName: "Book", objects: titles.map { ["title": $0, "pages": 1, "identifier": UUID()] })
        request.resultType = .objectIDs
        let result = try context.execute(request) as? NSBatchInsertResult
        return result?.result as? [NSManagedObjectID] ?? []
    }

    static func deleteAll(in context: NSManagedObjectContext) throws -> Int {
        let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
        let request = NSBatchDeleteRequest(fetchRequest: fetch)
        request.resultType = .resultTypeCount
        let result = try context.execute(request) as? NSBatchDeleteResult
        return result?.result as? Int ?? 0
    }
}
