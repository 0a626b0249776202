/// Saves and deletes subscriptions.
///
/// The service cannot yet: the blocks get `CKError.serverRejectedRequest`, which says which version of the
/// server will. Those for single subscriptions come first, the result blocks last and exactly once.
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKModifySubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The subscriptions to save.
    open var subscriptionsToSave: [CKSubscription]?
    /// The subscriptions to delete.
    open var subscriptionIDsToDelete: [CKSubscription.ID]?

    /// Called with what became of each subscription to save.
    open var perSubscriptionSaveBlock:
        ((_ subscriptionID: CKSubscription.ID, _ saveResult: Result<CKSubscription, any Error>) -> Void)?
    /// Called with what became of each subscription to delete.
    open var perSubscriptionDeleteBlock:
        ((_ subscriptionID: CKSubscription.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
    /// Called once at the end; a failure here means that a request failed as a whole.
    open var modifySubscriptionsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called once at the end; the older form of ``modifySubscriptionsResultBlock``.
    open var modifySubscriptionsCompletionBlock:
        (([CKSubscription]?, [CKSubscription.ID]?, (any Error)?) -> Void)?

    /// Makes an operation without subscriptions, to be set before it is added.
    override public init() {}

    /// Makes an operation for subscriptions to save and to delete.
    public convenience init(
        subscriptionsToSave: [CKSubscription]? = nil, subscriptionIDsToDelete: [CKSubscription.ID]? = nil
    ) {
        self.init()
        self.subscriptionsToSave = subscriptionsToSave
        self.subscriptionIDsToDelete = subscriptionIDsToDelete
    }

    override func work() async {
        let error = PlannedFeature.subscriptions.errorUnlessCancelled
        for subscription in subscriptionsToSave ?? [] {
            perSubscriptionSaveBlock?(subscription.subscriptionID, .failure(error))
        }
        for subscriptionID in subscriptionIDsToDelete ?? [] {
            perSubscriptionDeleteBlock?(subscriptionID, .failure(error))
        }
        modifySubscriptionsResultBlock?(.failure(error))
        modifySubscriptionsCompletionBlock?([], [], error)
    }
}
