import CoreData

/// Persistent history since a token, in an actor.
actor HistoryReader {
    private var token: NSPersistentHistoryToken?

    func changes(in container: NSPersistentContainer) async throws -> [String] {
        let context = container.newBackgroundContext()
        let last = token
        let (names, next) = try await context.perform {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: last)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
            let names = transactions.flatMap { $0.changes ?? [] }.compactMap {
                $0.changedObjectID.entity.name
            }
            return (names, transactions.last?.token ?? last)
        }
        token = next
        return names
    }
}
