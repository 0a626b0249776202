import CloudKit

/// The names that Swift 3 and 4 had for what is nested now.
enum NamesOfSwift3 {
    static func reference(to recordID: CKRecordID, cascades: Bool) -> CKReference {
        let action: CKReferenceAction = cascades ? .deleteSelf : .none
        return CKReference(recordID: recordID, action: action)
    }

    static func name(of scope: CKDatabaseScope) -> String {
        switch scope {
        case .public: return "public"
        case .private: return "private"
        default: return "shared"
        }
    }

    static func subscription(
        _ type: String, options: CKQuerySubscriptionOptions, zoneID: CKRecordZoneID?
    ) -> CKQuerySubscription {
        let subscription = CKQuerySubscription(
            recordType: type, predicate: NSPredicate(value: true), subscriptionID: "all", options: options)
        let info = CKNotificationInfo()
        info.shouldSendContentAvailable = true
        subscription.notificationInfo = info
        subscription.zoneID = zoneID
        return subscription
    }
}
