internal import SQLiteAccess
internal import StratusCoreData

extension SQLiteObjectStore {
    func currentTransactionNumber() throws -> Int64? {
        try HistoryReader(try opened(), storeIdentifier: identifier)?.lastNumber()
    }

    /// Reads a part of the history, or forgets it.
    func history(_ request: NSPersistentHistoryChangeRequest) throws -> NSPersistentHistoryResult {
        guard
            let reader = try HistoryReader(
                request.deletes ? try writable() : try opened(), storeIdentifier: identifier)
        else {
            throw CoreDataError(
                134091, "The store keeps no history.",
                remedy: "Add it with NSPersistentHistoryTrackingKey set to true."
            ).cocoa
        }
        if request.deletes { return try deleteHistory(request, reader) }
        let condition = try condition(request, reader)
        var transactions = try reader.transactions(
            condition, withChanges: request.resultType != .transactionsOnly)
        if case .matching(let fetch) = request.span {
            transactions = try apply(fetch, to: transactions, reader)
        }
        if let fetch = request.fetchRequest {
            transactions = try apply(fetch, to: transactions, reader)
        }
        return NSPersistentHistoryResult(
            result: request.resultType.answer(transactions), resultType: request.resultType)
    }

    private func condition(_ request: NSPersistentHistoryChangeRequest, _ reader: HistoryReader) throws
        -> SQLPiece
    {
        switch request.span {
        case .afterToken(nil): return "1"
        case .afterToken(let token?):
            // A token that knows nothing of this store is from before its history.
            let number = token.transactions[identifier] ?? 0
            if number > 0 { try reader.requireKept(after: number) }
            return "t.Z_PK > \(bind: .int(number))"
        case .afterDate(let date):
            return "t.ZTIMESTAMP > \(bind: .double(date.timeIntervalSinceReferenceDate))"
        case .matching: return "1"
        }
    }

    private func deleteHistory(
        _ request: NSPersistentHistoryChangeRequest, _ reader: HistoryReader
    ) throws -> NSPersistentHistoryResult {
        let condition: SQLPiece
        switch request.span {
        case .afterToken(nil): condition = "1"
        // Only what is older goes: whoever names the last transaction they have read may still need it.
        case .afterToken(let token?):
            condition = "t.Z_PK < \(bind: .int(token.transactions[identifier] ?? 0))"
        case .afterDate(let date):
            condition = "t.ZTIMESTAMP < \(bind: .double(date.timeIntervalSinceReferenceDate))"
        case .matching(let fetch):
            let found = try apply(fetch, to: try reader.transactions("1", withChanges: true), reader)
            let numbers = found.map { String($0.transactionNumber) }.joined(separator: ", ")
            condition = SQLPiece("t.Z_PK IN (\(numbers))")
        }
        let count = try reader.delete(condition)
        let result: Any = request.resultType == .count ? count : true
        return NSPersistentHistoryResult(result: result, resultType: request.resultType)
    }

    private func apply(
        _ fetch: AnyFetchRequest, to transactions: [NSPersistentHistoryTransaction], _ reader: HistoryReader
    ) throws -> [NSPersistentHistoryTransaction] {
        try HistoryFilter(fetch, storeIdentifier: identifier, requireKept: reader.requireKept).apply(
            to: transactions)
    }
}
