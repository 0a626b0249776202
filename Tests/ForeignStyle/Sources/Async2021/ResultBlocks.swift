import CloudKit

/// The blocks that take results, wrapped in a continuation.
func recordNames(of type: String, in database: CKDatabase) async throws -> [String] {
    try await withCheckedThrowingContinuation { continuation in
        let operation = CKQueryOperation(
            query: CKQuery(recordType: type, predicate: NSPredicate(value: true)))
        var names: [String] = []
        operation.recordMatchedBlock = { recordID, result in
            if case .success = result { names.append(recordID.recordName) }
        }
        operation.queryResultBlock = { result in
            continuation.resume(with: result.map { _ in names })
        }
        database.add(operation)
    }
}
