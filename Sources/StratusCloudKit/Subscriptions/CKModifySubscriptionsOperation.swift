/// Saves and deletes subscriptions.
///
/// To save one again changes nothing. The blocks for single subscriptions come first, one at a time, the result blocks
/// last and exactly once.
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
        var saved: [CKSubscription] = []
        var deleted: [CKSubscription.ID] = []
        var errors: [AnyHashable: any Error] = [:]
        do throws(CKError) {
            try await target.run(
                saveSubscriptions: subscriptionsToSave ?? [],
                deleteSubscriptions: subscriptionIDsToDelete ?? [], options: requestOptions
            ) { outcome in
                switch outcome {
                case .fetched: break
                case .saved(let name, let result):
                    switch result {
                    case .success(let subscription): saved.append(subscription)
                    case .failure(let error): errors[name] = error
                    }
                    perSubscriptionSaveBlock?(name, result)
                case .deleted(let name, let result):
                    switch result {
                    case .success: deleted.append(name)
                    case .failure(let error): errors[name] = error
                    }
                    perSubscriptionDeleteBlock?(name, result)
                }
            }
            modifySubscriptionsResultBlock?(.success(()))
            modifySubscriptionsCompletionBlock?(
                saved, deleted, errors.isEmpty ? nil : CKError.partialFailure(errors))
        } catch {
            modifySubscriptionsResultBlock?(.failure(error))
            modifySubscriptionsCompletionBlock?(saved, deleted, error)
        }
    }
}
