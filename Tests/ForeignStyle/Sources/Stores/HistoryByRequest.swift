import CoreData

/// History filtered by author, with a fetch request for transactions.
enum HistoryByRequest {
    static func transactions(by author: String, in context: NSManagedObjectContext) throws
        -> [NSPersistentHistoryTransaction]
    {
        guard let entity = NSPersistentHistoryTransaction.entityDescription(with: context) else { return [] }
        let fetch = NSFetchRequest<NSFetchRequestResult>()
        fetch.entity = entity
        fetch.predicate = NSPredicate(format: "author == %@", author)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        request.resultType = .transactionsAndChanges
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return result?.result as? [NSPersistentHistoryTransaction] ?? []
    }

    static func forget(before date: Date, in context: NSManagedObjectContext) throws {
        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: date))
    }
}
