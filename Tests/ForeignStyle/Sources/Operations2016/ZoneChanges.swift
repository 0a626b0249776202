import CloudKit

/// Changes of zones with a configuration for each, made as a constant.
class ZoneChanges {
    let database: CKDatabase
    var tokens: [CKRecordZone.ID: CKServerChangeToken] = [:]
    var changed: [CKRecord] = []
    var deleted: [CKRecord.ID] = []

    init(database: CKDatabase) {
        self.database = database
    }

    func fetch(_ zoneIDs: [CKRecordZone.ID], completion: @escaping (Error?) -> Void) {
        var configurations: [CKRecordZone.ID: CKFetchRecordZoneChangesOperation.ZoneConfiguration] = [:]
        for zoneID in zoneIDs {
            let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
            configuration.previousServerChangeToken = tokens[zoneID]
            configuration.resultsLimit = 100
            configurations[zoneID] = configuration
        }
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: zoneIDs, configurationsByRecordZoneID: configurations)
        operation.recordChangedBlock = { self.changed.append($0) }
        operation.recordWithIDWasDeletedBlock = { recordID, _ in self.deleted.append(recordID) }
        operation.recordZoneChangeTokensUpdatedBlock = { zoneID, token, _ in self.tokens[zoneID] = token }
        operation.recordZoneFetchCompletionBlock = { zoneID, token, _, _, error in
            if error == nil { self.tokens[zoneID] = token }
        }
        operation.fetchRecordZoneChangesCompletionBlock = completion
        database.add(operation)
    }
}
