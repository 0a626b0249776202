/// Gets the notifications again that were sent to a device.
///
/// The service keeps none: the operation ends with `CKError.serverRejectedRequest`, which names what to use instead.
///
/// Sendable is unchecked as in ``CKOperation``.
@available(*, deprecated, message: "Use CKDatabaseSubscription and the operations that fetch changes.")
open class CKFetchNotificationChangesOperation: CKOperation, @unchecked Sendable {
    /// Where the last fetch ended; nil for all notifications.
    open var previousServerChangeToken: CKServerChangeToken?
    /// How many notifications are asked for at most; 0 leaves it to the service.
    open var resultsLimit = 0
    /// Whether there are more notifications; false, since there are none.
    open private(set) var moreComing = false

    /// Called with each notification.
    open var notificationChangedBlock: ((CKNotification) -> Void)?
    /// Called once at the end.
    open var fetchNotificationChangesCompletionBlock: ((CKServerChangeToken?, (any Error)?) -> Void)?

    /// Makes an operation for all notifications.
    override public init() {}

    /// Makes an operation for the notifications since a fetch.
    public convenience init(previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func work() async {
        fetchNotificationChangesCompletionBlock?(nil, UnservedFeature.sentNotifications.errorUnlessCancelled)
    }
}
