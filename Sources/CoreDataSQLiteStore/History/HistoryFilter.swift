internal import StratusCoreData

/// Applies a request on transactions or changes, in memory.
struct HistoryFilter {
    private let fetch: AnyFetchRequest
    private let test: ((Any) throws -> Bool)?

    /// - Parameter requireKept: throws where transactions after a number were forgotten.
    init(
        _ fetch: AnyFetchRequest, storeIdentifier: String, requireKept: (Int64) throws -> Void
    ) throws {
        self.fetch = fetch
        guard let predicate = fetch.predicate else {
            test = nil
            return
        }
        guard let tree = try? PredicateTree(predicate) else {
            // A predicate that is code.
            test = { predicate.evaluate(with: $0) }
            return
        }
        let plain = try tree.withNumbersForTokens(storeIdentifier, requireKept: requireKept)
        test = { object in
            do throws(PredicateEvaluationError) {
                return try plain.evaluate(on: object)
            } catch {
                throw CoreDataError(
                    134060, "The predicate of a history request cannot be evaluated: \(error.message)",
                    remedy: error.remedy, cause: error
                ).cocoa
            }
        }
    }

    func apply(to transactions: [NSPersistentHistoryTransaction]) throws -> [NSPersistentHistoryTransaction] {
        var result = transactions
        if let test {
            if fetch.entityName == "Change" {
                for transaction in result {
                    transaction.changes = try transaction.changes?.filter { try test($0) }
                }
                result = result.filter { $0.changes?.isEmpty == false }
            } else {
                result = try result.filter { try test($0) }
            }
        }
        if fetch.fetchOffset > 0 { result = Array(result.dropFirst(fetch.fetchOffset)) }
        if fetch.fetchLimit > 0 { result = Array(result.prefix(fetch.fetchLimit)) }
        return result
    }
}

extension PredicateTree {
    /// The predicate with the numbers of transactions in the place of tokens, which have no order, and with names in the
    /// place of entities.
    ///
    /// `token > %@` and its relatives find what comes after a token, by the tests of
    /// https://github.com/alemar11/CoreDataPlus (NSManagedObjectContextHistory_Tests.swift).
    fileprivate func withNumbersForTokens(
        _ store: String, requireKept: (Int64) throws -> Void
    ) throws -> PredicateTree {
        func replaced(_ tree: PredicateTree) throws -> PredicateTree {
            try tree.withNumbersForTokens(store, requireKept: requireKept)
        }
        switch self {
        case .constant: return self
        case .and(let parts): return .and(try parts.map(replaced))
        case .or(let parts): return .or(try parts.map(replaced))
        case .not(let part): return .not(try replaced(part))
        case .comparison(var comparison):
            guard case .constant(.object(let object)) = comparison.right,
                case .keyPath(let path) = comparison.left
            else { return self }
            switch (path, object.base) {
            case (["token"], let token as NSPersistentHistoryToken):
                let number = token.transactions[store] ?? 0
                // What was forgotten cannot be found, and a reader has to know that.
                if number > 0, comparison.operator == .greaterThan { try requireKept(number) }
                if number > 1, comparison.operator == .greaterThanOrEqualTo { try requireKept(number - 1) }
                comparison.left = .keyPath(["transactionNumber"])
                comparison.right = .constant(.int(number))
            case (["changedEntity"], let entity as NSEntityDescription):
                comparison.right = .constant(.string(entity.name ?? ""))
            default: break
            }
            return .comparison(comparison)
        }
    }
}
