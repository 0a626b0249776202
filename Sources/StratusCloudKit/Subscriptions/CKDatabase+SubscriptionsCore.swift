internal import Foundation
internal import RecordModel
internal import RecordWire

extension CKDatabase {
    /// What became of one subscription.
    enum SubscriptionOutcome {
        case fetched(CKSubscription.ID, Result<CKSubscription, any Error>)
        case saved(CKSubscription.ID, Result<CKSubscription, any Error>)
        case deleted(CKSubscription.ID, Result<Void, any Error>)
    }

    /// Fetches subscriptions by their names, or, with nil, all of the user's in the database.
    func run(
        fetchSubscriptions names: [CKSubscription.ID]?, options: ServiceClient.Options,
        onOutcome: (SubscriptionOutcome) -> Void
    ) async throws(CKError) {
        guard let names else {
            let answer: SubscriptionsResponse = try await get(.subscriptionsList, options: options)
            for case .success(.subscription(let wire)) in answer.subscriptions {
                onOutcome(.fetched(wire.subscriptionID ?? "", subscription(wire)))
            }
            return
        }
        var rest = names[...]
        while !rest.isEmpty {
            let wanted = Array(rest.prefix(Limits.itemsPerRequest))
            rest = rest.dropFirst(Limits.itemsPerRequest)
            let answer: SubscriptionsResponse = try await post(
                .subscriptionsLookup, SubscriptionsLookupRequest(subscriptionIDs: wanted), options: options)
            for (index, name) in wanted.enumerated() { onOutcome(.fetched(name, result(answer, index))) }
        }
    }

    /// Saves and deletes subscriptions. To save one again changes nothing.
    func run(
        saveSubscriptions subscriptions: [CKSubscription], deleteSubscriptions names: [CKSubscription.ID],
        options: ServiceClient.Options, onOutcome: (SubscriptionOutcome) -> Void
    ) async throws(CKError) {
        var operations: [SubscriptionsModifyRequest.Operation] = []
        for subscription in subscriptions {
            do throws(CKError) {
                try checkIsServed(subscription)
                operations.append(.save(try subscription.wire(isStrict: isStrict)))
            } catch {
                onOutcome(.saved(subscription.subscriptionID, .failure(error)))
            }
        }
        operations += names.map { .delete($0) }
        let given = Dictionary(
            subscriptions.map { (ExactText($0.subscriptionID), $0) }, uniquingKeysWith: { first, _ in first })
        var rest = operations[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(Limits.itemsPerRequest))
            rest = rest.dropFirst(Limits.itemsPerRequest)
            var request = SubscriptionsModifyRequest(operations: batch)
            request.idempotencyKey = UUID().uuidString
            let answer: SubscriptionsResponse = try await post(
                .subscriptionsModify, request, isWrite: true, options: options)
            for (index, operation) in batch.enumerated() {
                let name = operation.subscriptionID ?? ""
                switch (operation, failure(answer, index)) {
                // The caller's own object: it says what was saved, with its predicate as it was written.
                case (.save, nil):
                    if let saved = given[ExactText(name)] { onOutcome(.saved(name, .success(saved))) }
                case (.save, let error?): onOutcome(.saved(name, .failure(error)))
                case (.delete, let error):
                    onOutcome(.deleted(name, error.map { .failure($0) } ?? .success(())))
                }
            }
        }
    }

    /// Of the shared database one can be told as a whole only. (Apple: not known is the code.)
    private func checkIsServed(_ subscription: CKSubscription) throws(CKError) {
        guard databaseScope == .shared, !(subscription is CKDatabaseSubscription) else { return }
        throw CKError(
            .badDatabase, "The shared database has no subscriptions of queries and zones.",
            remedy: "Save a CKDatabaseSubscription, and fetch what changed.")
    }

    private func failure(_ answer: SubscriptionsResponse, _ index: Int) -> CKError? {
        guard answer.subscriptions.indices.contains(index) else {
            return CKError(.internalError, "The service's answer leaves out the subscription.")
        }
        if case .failure(let error) = answer.subscriptions[index] { return CKError(error) }
        return nil
    }

    private func result(_ answer: SubscriptionsResponse, _ index: Int) -> Result<CKSubscription, any Error> {
        if let error = failure(answer, index) { return .failure(error) }
        guard case .success(.subscription(let wire)) = answer.subscriptions[index] else {
            return .failure(CKError(.internalError, "The service's answer leaves out the subscription."))
        }
        return subscription(wire)
    }

    private func subscription(_ wire: SubscriptionDictionary) -> Result<CKSubscription, any Error> {
        do throws(CKError) {
            return .success(try CKSubscription.from(wire, scope: databaseScope))
        } catch {
            return .failure(error)
        }
    }
}
