import CloudKit

/// What an app does in `didReceiveRemoteNotification`.
class PushHandler {
    var changedRecords = [CKRecord.ID]()
    var changedZones = [CKRecordZone.ID]()
    var changedDatabases = [CKDatabase.Scope]()

    func receive(userInfo: [AnyHashable: Any]) -> Bool {
        guard let notification = CKNotification(fromRemoteNotificationDictionary: userInfo) else {
            return false
        }
        switch notification.notificationType {
        case .query:
            guard let query = notification as? CKQueryNotification, let recordID = query.recordID else {
                return false
            }
            if query.queryNotificationReason != .recordDeleted { changedRecords.append(recordID) }
        case .recordZone:
            guard let zone = notification as? CKRecordZoneNotification, let zoneID = zone.recordZoneID else {
                return false
            }
            changedZones.append(zoneID)
        case .database:
            guard let database = notification as? CKDatabaseNotification else { return false }
            changedDatabases.append(database.databaseScope)
        case .readNotification:
            return false
        @unknown default:
            return false
        }
        return true
    }
}
