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
        if !request.deletes, let page = Self.page(of: request) { return try execute(request, page, context) }
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

    /// The fetch whose limit or offset counts over all stores; nil where there is none.
    private static func page(of request: NSPersistentHistoryChangeRequest) -> AnyFetchRequest? {
        var fetches = [request.fetchRequest].compactMap { $0 }
        if case .matching(let fetch) = request.span { fetches.append(fetch) }
        return fetches.first { $0.fetchLimit > 0 || $0.fetchOffset > 0 }
    }

    /// Asks each store for all transactions, and gives the page of all of them.
    private func execute(
        _ request: NSPersistentHistoryChangeRequest, _ page: AnyFetchRequest,
        _ context: NSManagedObjectContext?
    ) throws -> NSPersistentHistoryResult {
        let whole = { (fetch: AnyFetchRequest) in
            let copy = fetch.copied()
            if fetch === page { (copy.fetchLimit, copy.fetchOffset) = (0, 0) }
            return copy
        }
        var span = request.span
        if case .matching(let fetch) = span { span = .matching(whole(fetch)) }
        let all = NSPersistentHistoryChangeRequest(span: span, deletes: false)
        all.fetchRequest = request.fetchRequest.map(whole)
        all.resultType = request.resultType == .transactionsOnly ? .transactionsOnly : .transactionsAndChanges
        let found = try execute(all, context).result as? [NSPersistentHistoryTransaction] ?? []
        let rest = found.dropFirst(max(0, page.fetchOffset))
        let transactions = Array(page.fetchLimit > 0 ? rest.prefix(page.fetchLimit) : rest)
        return NSPersistentHistoryResult(
            result: request.resultType.answer(transactions), resultType: request.resultType)
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

extension NSPersistentHistoryResultType {
    /// What a request of this type answers where it finds these transactions.
    package func answer(_ transactions: [NSPersistentHistoryTransaction]) -> Any {
        switch self {
        case .statusOnly: return true
        case .objectIDs:
            var seen: Set<NSManagedObjectID> = []
            return transactions.flatMap { $0.changes ?? [] }.map(\.changedObjectID).filter {
                seen.insert($0).inserted
            }
        case .count: return transactions.count
        case .transactionsOnly, .transactionsAndChanges: return transactions
        case .changesOnly: return transactions.flatMap { $0.changes ?? [] }
        }
    }
}
