import CloudKit

class DatabaseChanges {
    let database: CKDatabase
    var token: CKServerChangeToken?
    var zoneIDs: [CKRecordZone.ID] = []

    init(database: CKDatabase) {
        self.database = database
    }

    func fetch(completion: @escaping (Error?) -> Void) {
        let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
        operation.fetchAllChanges = true
        operation.recordZoneWithIDChangedBlock = { self.zoneIDs.append($0) }
        operation.recordZoneWithIDWasDeletedBlock = { zoneID in self.zoneIDs.removeAll { $0 == zoneID } }
        operation.changeTokenUpdatedBlock = { self.token = $0 }
        operation.fetchDatabaseChangesCompletionBlock = { token, moreComing, error in
            self.token = token
            completion(error)
        }
        database.add(operation)
    }
}
