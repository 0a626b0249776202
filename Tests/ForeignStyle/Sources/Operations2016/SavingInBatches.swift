import CloudKit

/// Halves a batch that is too large, and takes the server's record after a conflict.
class SavingInBatches {
    let database: CKDatabase
    var saved: [CKRecord] = []

    init(database: CKDatabase) {
        self.database = database
    }

    func save(_ records: [CKRecord], completion: @escaping (Error?) -> Void) {
        let operation = CKModifyRecordsOperation(recordsToSave: records, recordIDsToDelete: [])
        operation.perRecordCompletionBlock = { record, error in
            if error == nil { self.saved.append(record) }
        }
        operation.perRecordProgressBlock = { _, _ in }
        operation.modifyRecordsCompletionBlock = { _, _, error in
            guard let error = error as? CKError else {
                completion(error)
                return
            }
            if error.code == .limitExceeded, records.count > 1 {
                let half = records.count / 2
                self.save(Array(records[..<half])) { error in
                    if error == nil {
                        self.save(Array(records[half...]), completion: completion)
                    } else {
                        completion(error)
                    }
                }
            } else if error.code == .serverRecordChanged,
                let server = error.userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord
            {
                self.save([server], completion: completion)
            } else {
                completion(error)
            }
        }
        database.add(operation)
    }
}
