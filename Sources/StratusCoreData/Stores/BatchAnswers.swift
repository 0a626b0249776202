/// What several stores answer to one batch request, as one answer.
enum BatchAnswers {
    /// - Returns: the answer itself, where there is one.
    static func joined(_ answers: [NSPersistentStoreResult]) -> NSPersistentStoreResult {
        if let only = answers.first, answers.count == 1 { return only }
        if let updates = answers as? [NSBatchUpdateResult], let first = updates.first {
            return NSBatchUpdateResult(result: joined(updates.map(\.result)), resultType: first.resultType)
        }
        if let deletes = answers as? [NSBatchDeleteResult], let first = deletes.first {
            return NSBatchDeleteResult(result: joined(deletes.map(\.result)), resultType: first.resultType)
        }
        return answers.first ?? NSPersistentStoreResult()
    }

    /// All IDs, the sum of the numbers, or whether all went well.
    private static func joined(_ results: [Any?]) -> Any? {
        if let ids = results as? [[NSManagedObjectID]] { return ids.flatMap { $0 } }
        if let flags = results as? [Bool] { return flags.allSatisfy { $0 } }
        if let counts = results as? [Int] { return counts.reduce(0, +) }
        return results.first ?? nil
    }
}
