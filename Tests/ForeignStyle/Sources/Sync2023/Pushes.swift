import CloudKit

/// A summary of a push for a log.
func summary(of userInfo: [AnyHashable: Any]) -> String? {
    guard let notification = CKNotification(fromRemoteNotificationDictionary: userInfo) else { return nil }
    let subscription = notification.subscriptionID ?? "-"
    let container = notification.containerIdentifier ?? "-"
    switch notification {
    case let query as CKQueryNotification:
        return
            "\(container) \(subscription) \(query.recordID?.recordName ?? "-") \(query.queryNotificationReason.rawValue)"
    case let zone as CKRecordZoneNotification:
        return "\(container) \(subscription) \(zone.recordZoneID?.zoneName ?? "-")"
    case let database as CKDatabaseNotification:
        return "\(container) \(subscription) \(database.databaseScope.rawValue)"
    default:
        return nil
    }
}
