import CloudKit

/// A batch made by hand, and options for what is fetched first.
enum Batches {
    static func deletion(of recordIDs: [CKRecord.ID]) -> CKSyncEngine.RecordZoneChangeBatch {
        CKSyncEngine.RecordZoneChangeBatch(recordIDsToDelete: recordIDs, atomicByZone: true)
    }

    static func fetching(_ zoneID: CKRecordZone.ID) -> CKSyncEngine.FetchChangesOptions {
        var options = CKSyncEngine.FetchChangesOptions(scope: .zoneIDs([zoneID]))
        options.prioritizedZoneIDs = [zoneID]
        return options
    }

    static func sending(_ recordIDs: [CKRecord.ID]) -> CKSyncEngine.SendChangesOptions {
        CKSyncEngine.SendChangesOptions(scope: .recordIDs(recordIDs))
    }
}
