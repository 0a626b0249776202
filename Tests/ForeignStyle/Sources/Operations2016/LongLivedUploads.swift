import CloudKit

/// Uploads that go on after the app ended.
class LongLivedUploads {
    let container: CKContainer

    init(container: CKContainer) {
        self.container = container
    }

    func resume(completion: @escaping (Int) -> Void) {
        container.fetchAllLongLivedOperationIDs { operationIDs, error in
            guard let operationIDs = operationIDs, error == nil else {
                completion(-1)
                return
            }
            for operationID in operationIDs {
                self.container.fetchLongLivedOperation(withID: operationID) { operation, _ in
                    if let operation = operation as? CKModifyRecordsOperation {
                        self.container.add(operation)
                    }
                }
            }
            completion(operationIDs.count)
        }
    }

    func persistently(_ records: [CKRecord]) -> CKModifyRecordsOperation {
        let operation = CKModifyRecordsOperation(recordsToSave: records)
        let operationID: CKOperation.ID = operation.operationID
        operation.longLivedOperationWasPersistedBlock = { _ = operationID }
        operation.configuration.isLongLived = true
        return operation
    }
}
