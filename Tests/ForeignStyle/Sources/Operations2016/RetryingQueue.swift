import CloudKit

/// Operations in a queue of the app's own, one after the other.
class RetryingQueue {
    let queue = OperationQueue()
    let database: CKDatabase

    init(database: CKDatabase) {
        self.database = database
        queue.maxConcurrentOperationCount = 1
    }

    func fetch(_ recordIDs: [CKRecord.ID], completion: @escaping ([CKRecord.ID: CKRecord]?, Error?) -> Void) {
        let operation = CKFetchRecordsOperation(recordIDs: recordIDs)
        operation.database = database
        operation.desiredKeys = nil
        operation.fetchRecordsCompletionBlock = completion
        let marker = BlockOperation {}
        marker.addDependency(operation)
        queue.addOperation(operation)
        queue.addOperation(marker)
    }
}
