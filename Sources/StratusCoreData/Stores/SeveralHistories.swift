/// A request for the history of several stores.
///
/// Each is asked, and the answers are put together: transactions in the order of their time. A token holds a position
/// in each of the histories.
struct SeveralHistories {
    private let stores: [any GraphStore]

    init(_ stores: [any GraphStore]) { self.stores = stores }

    /// - Throws: what a store throws; that a store keeps no history only where none does.
    func execute(
        _ request: NSPersistentHistoryChangeRequest, _ context: NSManagedObjectContext?
    ) throws -> NSPersistentHistoryResult {
        var answers: [Any] = []
        var none: (any Error)?
        for store in stores {
            do {
                let result = try store.execute(request, in: context) as? NSPersistentHistoryResult
                if let answer = result?.result { answers.append(answer) }
            } catch let error as CocoaError where error.errorCode == 134_091 {
                none = error
            }
        }
        if answers.isEmpty, let none { throw none }
        return NSPersistentHistoryResult(
            result: joined(answers, request.resultType), resultType: request.resultType)
    }

    private func joined(_ answers: [Any], _ type: NSPersistentHistoryResultType) -> Any {
        switch type {
        case .statusOnly: return answers.allSatisfy { $0 as? Bool == true }
        case .count: return answers.compactMap { $0 as? Int }.reduce(0, +)
        case .objectIDs: return answers.compactMap { $0 as? [NSManagedObjectID] }.flatMap { $0 }
        case .changesOnly: return answers.compactMap { $0 as? [NSPersistentHistoryChange] }.flatMap { $0 }
        case .transactionsOnly, .transactionsAndChanges:
            return answers.compactMap { $0 as? [NSPersistentHistoryTransaction] }.flatMap { $0 }
                .sorted { $0.timestamp < $1.timestamp }
        }
    }
}
