import CloudKit

/// Subscribing with async calls.
func subscribe(to zoneID: CKRecordZone.ID, in database: CKDatabase) async throws -> [CKSubscription.ID] {
    let zone = CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "zone-\(zoneID.zoneName)")
    zone.notificationInfo = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
    let all = CKDatabaseSubscription(subscriptionID: "everything")
    all.notificationInfo = CKSubscription.NotificationInfo(alertBody: "Changed", shouldBadge: true)
    let (saved, _) = try await database.modifySubscriptions(saving: [zone, all], deleting: ["old"])
    return try saved.values.map { try $0.get().subscriptionID }
}
