/// What apps do with subscriptions.
extension CKDatabase {
    /// What became of subscriptions that were saved and deleted, by their names.
    public typealias ModifySubscriptionResults = (
        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
    )

    /// Fetches a subscription.
    ///
    /// - Throws: `CKError`; `unknownItem` where there is no such subscription.
    public func subscription(for subscriptionID: CKSubscription.ID) async throws -> CKSubscription {
        guard let result = try await subscriptions(for: [subscriptionID])[subscriptionID] else {
            throw CKError(.unknownItem, "There is no subscription '\(subscriptionID)'.")
        }
        return try result.get()
    }

    /// Fetches subscriptions by their names.
    ///
    /// - Throws: `CKError` when a request failed as a whole. Failures of single subscriptions are in the result.
    public func subscriptions(
        for ids: [CKSubscription.ID]
    ) async throws -> [CKSubscription.ID: Result<CKSubscription, any Error>] {
        var results: [CKSubscription.ID: Result<CKSubscription, any Error>] = [:]
        try await run(fetchSubscriptions: ids, options: options) { outcome in
            if case .fetched(let name, let result) = outcome { results[name] = result }
        }
        return results
    }

    /// Fetches all subscriptions of the user in the database.
    ///
    /// - Throws: `CKError`, also where one of them cannot be read by this client.
    public func allSubscriptions() async throws -> [CKSubscription] {
        var results: [Result<CKSubscription, any Error>] = []
        try await run(fetchSubscriptions: nil, options: options) { outcome in
            if case .fetched(_, let result) = outcome { results.append(result) }
        }
        return try results.map { try $0.get() }
    }

    /// Saves and deletes subscriptions.
    ///
    /// To save one again changes nothing.
    /// - Throws: `CKError` when a request failed as a whole. Failures of single subscriptions are in the results.
    public func modifySubscriptions(
        saving subscriptionsToSave: [CKSubscription], deleting subscriptionIDsToDelete: [CKSubscription.ID]
    ) async throws -> (
        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
    ) {
        var results: ModifySubscriptionResults = ([:], [:])
        try await run(
            saveSubscriptions: subscriptionsToSave, deleteSubscriptions: subscriptionIDsToDelete,
            options: options
        ) { outcome in
            switch outcome {
            case .fetched: break
            case .saved(let name, let result): results.saveResults[name] = result
            case .deleted(let name, let result): results.deleteResults[name] = result
            }
        }
        return results
    }

    /// Saves a subscription.
    ///
    /// - Throws: `CKError`: `invalidArguments` where no service can answer the predicate, where a query subscription
    ///   names nothing that it fires on, for a name that is empty or too long, for a zone subscription of the default
    ///   zone, and for zone and database subscriptions in the public database; `limitExceeded` for a predicate that
    ///   is too long; `unknownItem` or `zoneNotFound` where the record type or the zone is not there;
    ///   `permissionFailure` where the user may not read the records; `limitExceeded` for a subscription that is too
    ///   large or one too many; `notAuthenticated` where nobody is signed in; `serverResponseLost` where nobody knows
    ///   whether it was saved; another code when the request fails otherwise.
    @discardableResult
    public func save(_ subscription: CKSubscription) async throws -> CKSubscription {
        let results = try await modifySubscriptions(saving: [subscription], deleting: [])
        return try results.saveResults[subscription.subscriptionID]?.get() ?? subscription
    }

    /// Deletes a subscription.
    ///
    /// - Throws: `CKError`: `unknownItem` where there is no such subscription; `notAuthenticated` where nobody is
    ///   signed in; `serverResponseLost` where nobody knows whether it was deleted; another code when the request
    ///   fails otherwise.
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
