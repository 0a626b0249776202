/// Fetches subscriptions by their names, or all of the user's in a database.
///
/// The service cannot yet: the blocks get `CKError.serverRejectedRequest`, which says which version of the
/// server will. Those for single subscriptions come first, the result blocks last and exactly once.
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKFetchSubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The subscriptions to fetch; nil for all.
    open var subscriptionIDs: [CKSubscription.ID]?

    /// Called with each subscription, or with why it could not be had.
    open var perSubscriptionResultBlock:
        (
            (_ subscriptionID: CKSubscription.ID, _ subscriptionResult: Result<CKSubscription, any Error>) ->
                Void
        )?
    /// Called once at the end; a failure here means that a request failed as a whole.
    open var fetchSubscriptionsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called once at the end; the older form of ``fetchSubscriptionsResultBlock``.
    open var fetchSubscriptionCompletionBlock: (([CKSubscription.ID: CKSubscription]?, (any Error)?) -> Void)?

    /// Makes an operation for all subscriptions, unless names are set before it is added.
    override public init() {}

    /// Makes an operation for subscriptions.
    public convenience init(subscriptionIDs: [CKSubscription.ID]) {
        self.init()
        self.subscriptionIDs = subscriptionIDs
    }

    /// Makes an operation for all subscriptions of a database.
    open class func fetchAllSubscriptionsOperation() -> CKFetchSubscriptionsOperation {
        CKFetchSubscriptionsOperation()
    }

    override func work() async {
        let error = PlannedFeature.subscriptions.errorUnlessCancelled
        for subscriptionID in subscriptionIDs ?? [] {
            perSubscriptionResultBlock?(subscriptionID, .failure(error))
        }
        fetchSubscriptionsResultBlock?(.failure(error))
        fetchSubscriptionCompletionBlock?([:], error)
    }
}
