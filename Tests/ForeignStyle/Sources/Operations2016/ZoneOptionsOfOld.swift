import CloudKit

/// The name that the configuration of a zone had before 2018.
func changesOperation(zoneID: CKRecordZone.ID, since token: CKServerChangeToken?)
    -> CKFetchRecordZoneChangesOperation
{
    let options = CKFetchRecordZoneChangesOperation.ZoneOptions()
    options.previousServerChangeToken = token
    options.desiredKeys = ["text"]
    let operation = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [zoneID], optionsByRecordZoneID: [zoneID: options])
    operation.optionsByRecordZoneID?[zoneID]?.resultsLimit = 10
    return operation
}
