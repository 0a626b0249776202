import CloudKit.CKNotification
import CloudKit.CKServerChangeToken

/// The notifications of a public database, as layers read them before there were database subscriptions.
class NotificationHistory {
    private let container: CKContainer
    private var token: CKServerChangeToken?
    var changed: [CKRecord.ID] = []

    init(container: CKContainer) {
        self.container = container
    }

    func readAll(completion: @escaping (Error?) -> Void) {
        var seen: [CKNotification.ID] = []
        let operation = CKFetchNotificationChangesOperation(previousServerChangeToken: token)
        operation.notificationChangedBlock = { notification in
            if let query = notification as? CKQueryNotification, let recordID = query.recordID {
                self.changed.append(recordID)
            }
            if let id = notification.notificationID { seen.append(id) }
        }
        operation.fetchNotificationChangesCompletionBlock = { newToken, error in
            if let error = error { return completion(error) }
            self.token = newToken
            if operation.moreComing { return self.readAll(completion: completion) }
            let mark = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: seen)
            mark.markNotificationsReadCompletionBlock = { _, error in completion(error) }
            self.container.add(mark)
        }
        container.add(operation)
    }

    func resetBadge(completion: @escaping (Error?) -> Void) {
        let operation = CKModifyBadgeOperation(badgeValue: 0)
        operation.modifyBadgeCompletionBlock = completion
        container.add(operation)
    }
}
