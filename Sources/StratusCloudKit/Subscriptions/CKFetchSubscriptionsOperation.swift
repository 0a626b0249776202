/// Fetches subscriptions by their names, or all of the user's in a database.
///
/// The blocks for single subscriptions come first, one at a time, the result blocks last and exactly once.
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
        var found: [CKSubscription.ID: CKSubscription] = [:]
        var errors: [AnyHashable: any Error] = [:]
        do throws(CKError) {
            try await target.run(fetchSubscriptions: subscriptionIDs, options: requestOptions) { outcome in
                guard case .fetched(let name, let result) = outcome else { return }
                switch result {
                case .success(let subscription): found[name] = subscription
                case .failure(let error): errors[name] = error
                }
                perSubscriptionResultBlock?(name, result)
            }
            fetchSubscriptionsResultBlock?(.success(()))
            fetchSubscriptionCompletionBlock?(found, errors.isEmpty ? nil : CKError.partialFailure(errors))
        } catch {
            fetchSubscriptionsResultBlock?(.failure(error))
            fetchSubscriptionCompletionBlock?(found, error)
        }
    }
}
