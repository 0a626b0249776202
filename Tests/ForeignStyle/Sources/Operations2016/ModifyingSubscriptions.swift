import CloudKit

/// Subscriptions by operation.
class ModifyingSubscriptions {
    func operation(for zoneID: CKRecordZone.ID) -> CKModifySubscriptionsOperation {
        let database = CKDatabaseSubscription(subscriptionID: "all")
        let info = CKSubscription.NotificationInfo()
        info.shouldSendContentAvailable = true
        database.notificationInfo = info
        let zone = CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "zone")
        zone.recordType = "Note"
        zone.notificationInfo = info
        let operation = CKModifySubscriptionsOperation(
            subscriptionsToSave: [database, zone], subscriptionIDsToDelete: ["old"])
        operation.qualityOfService = .utility
        return operation
    }

    func run(
        _ operation: CKModifySubscriptionsOperation, in database: CKDatabase,
        completion: @escaping (Error?) -> Void
    ) {
        operation.modifySubscriptionsCompletionBlock = { _, _, error in completion(error) }
        database.add(operation)
    }

    func list(in database: CKDatabase, completion: @escaping ([String: CKSubscription]?, Error?) -> Void) {
        let operation = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
        operation.fetchSubscriptionCompletionBlock = completion
        database.add(operation)
    }
}
