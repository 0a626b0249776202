/// What apps do with subscriptions. The service does not serve them yet: everything here fails with
/// `CKError.serverRejectedRequest` and a sentence that says which version of the server will.
extension CKDatabase {
    /// What became of subscriptions that were saved and deleted, by their names.
    public typealias ModifySubscriptionResults = (
        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
    )

    /// Fetches a subscription.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, since the service has no subscriptions yet.
    public func subscription(for subscriptionID: CKSubscription.ID) async throws -> CKSubscription {
        throw PlannedFeature.subscriptions.errorUnlessCancelled
    }

    /// Fetches subscriptions by their names.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, since the service has no subscriptions yet.
    public func subscriptions(
        for ids: [CKSubscription.ID]
    ) async throws -> [CKSubscription.ID: Result<CKSubscription, any Error>] {
        throw PlannedFeature.subscriptions.errorUnlessCancelled
    }

    /// Fetches all subscriptions of the user in the database.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, since the service has no subscriptions yet.
    public func allSubscriptions() async throws -> [CKSubscription] {
        throw PlannedFeature.subscriptions.errorUnlessCancelled
    }

    /// Saves and deletes subscriptions.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, since the service has no subscriptions yet.
    public func modifySubscriptions(
        saving subscriptionsToSave: [CKSubscription], deleting subscriptionIDsToDelete: [CKSubscription.ID]
    ) async throws -> (
        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
    ) {
        throw PlannedFeature.subscriptions.errorUnlessCancelled
    }

    /// Saves a subscription.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, since the service has no subscriptions yet.
    @discardableResult
    public func save(_ subscription: CKSubscription) async throws -> CKSubscription {
        let results = try await modifySubscriptions(saving: [subscription], deleting: [])
        return try results.saveResults[subscription.subscriptionID]?.get() ?? subscription
    }

    /// Deletes a subscription.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, since the service has no subscriptions yet.
    @discardableResult
    public func deleteSubscription(
        withID subscriptionID: CKSubscription.ID
    ) async throws -> CKSubscription.ID {
        let results = try await modifySubscriptions(saving: [], deleting: [subscriptionID])
        try results.deleteResults[subscriptionID]?.get()
        return subscriptionID
    }

    /// Fetches a subscription; see ``subscription(for:)``.
    @preconcurrency
    public func fetch(
        withSubscriptionID subscriptionID: CKSubscription.ID,
        completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await subscription(for: subscriptionID) }
    }

    /// Fetches subscriptions by their names; see ``subscriptions(for:)``.
    @preconcurrency
    public func fetch(
        withSubscriptionIDs subscriptionIDs: [CKSubscription.ID],
        completionHandler:
            @escaping @Sendable (
                Result<[CKSubscription.ID: Result<CKSubscription, any Error>], any Error>
            ) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await subscriptions(for: subscriptionIDs) }
    }

    /// Fetches all subscriptions of the user in the database; see ``allSubscriptions()``.
    @preconcurrency
    public func fetchAllSubscriptions(
        completionHandler: @escaping @Sendable ([CKSubscription]?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await allSubscriptions() }
    }

    /// Saves a subscription.
    @preconcurrency
    public func save(
        _ subscription: CKSubscription,
        completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] () -> CKSubscription in try await save(subscription) }
    }

    /// Deletes a subscription; see ``deleteSubscription(withID:)``.
    @preconcurrency
    public func delete(
        withSubscriptionID subscriptionID: CKSubscription.ID,
        completionHandler: @escaping @Sendable (String?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await deleteSubscription(withID: subscriptionID) }
    }

    /// Saves and deletes subscriptions; see ``modifySubscriptions(saving:deleting:)``.
    @preconcurrency
    public func modifySubscriptions(
        saving subscriptionsToSave: [CKSubscription], deleting subscriptionIDsToDelete: [CKSubscription.ID],
        completionHandler: @escaping @Sendable (Result<ModifySubscriptionResults, any Error>) -> Void
    ) {
        Handler(completionHandler).run { [self] in
            try await modifySubscriptions(saving: subscriptionsToSave, deleting: subscriptionIDsToDelete)
        }
    }
}
