import CloudKit

/// Pages by cursor, with the blocks of 2016.
class PagedQuery {
    let database: CKDatabase
    var records: [CKRecord] = []

    init(database: CKDatabase) {
        self.database = database
    }

    func loadAll(_ type: String, completion: @escaping (Error?) -> Void) {
        run(
            CKQueryOperation(query: CKQuery(recordType: type, predicate: NSPredicate(value: true))),
            completion: completion)
    }

    private func run(_ operation: CKQueryOperation, completion: @escaping (Error?) -> Void) {
        operation.resultsLimit = 2
        operation.desiredKeys = ["text"]
        operation.qualityOfService = .userInitiated
        operation.recordFetchedBlock = { self.records.append($0) }
        operation.queryCompletionBlock = { cursor, error in
            if let cursor = cursor {
                self.run(CKQueryOperation(cursor: cursor), completion: completion)
            } else {
                completion(error)
            }
        }
        database.add(operation)
    }
}
