import CloudKit

/// Subscribing once, remembered in the user's defaults.
class FetchSubscriptions {
    let database: CKDatabase

    init(database: CKDatabase) {
        self.database = database
    }

    func subscribe(completion: @escaping (CKSubscription?, Error?) -> Void) {
        let subscription = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "notes",
            options: [.firesOnRecordCreation, .firesOnRecordUpdate])
        let info = CKSubscription.NotificationInfo()
        info.alertBody = "A note was written."
        info.soundName = "default"
        info.shouldBadge = true
        subscription.notificationInfo = info
        database.save(subscription, completionHandler: completion)
    }

    func unsubscribe(completion: @escaping (String?, Error?) -> Void) {
        database.delete(withSubscriptionID: "notes", completionHandler: completion)
    }
}
