/// Marks notifications as read.
///
/// The service keeps none: the operation ends with `CKError.serverRejectedRequest`, which says so.
///
/// Sendable is unchecked as in ``CKOperation``.
@available(*, deprecated, message: "Use CKDatabaseSubscription and the operations that fetch changes.")
open class CKMarkNotificationsReadOperation: CKOperation, @unchecked Sendable {
    /// The notifications' names.
    open var notificationIDs: [CKNotification.ID]?

    /// Called once at the end with the names of those that were marked.
    open var markNotificationsReadCompletionBlock: (([CKNotification.ID]?, (any Error)?) -> Void)?

    /// Makes an operation without notifications, to be set before it is added.
    override public init() {}

    /// Makes an operation for notifications.
    public convenience init(notificationIDsToMarkRead notificationIDs: [CKNotification.ID]) {
        self.init()
        self.notificationIDs = notificationIDs
    }

    override func work() async {
        markNotificationsReadCompletionBlock?(nil, UnservedFeature.sentNotifications.errorUnlessCancelled)
    }
}
