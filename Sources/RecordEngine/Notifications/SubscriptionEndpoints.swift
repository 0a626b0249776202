import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// `subscriptions/list`: all subscriptions of the caller in the database.
    func listSubscriptions(_ context: CallContext) async throws -> ServiceOutput {
        let user = try Self.subscriber(context)
        return try await store(for: context).readAnswer(.short, for: context.party) { reader in
            let rows = try reader.database(context.database).map {
                try reader.subscriptions(of: user, in: $0)
            }
            return ServiceOutput { writer in
                writer.beginObject()
                writer.key("subscriptions")
                writer.beginArray()
                for row in rows ?? [] where row.endedAt == nil { writer.raw(row.definition) }
                writer.endArray()
                writer.endObject()
            }
        }
    }

    /// `subscriptions/lookup`: subscriptions by name, in the order asked for.
    func lookupSubscriptions(
        _ request: SubscriptionsLookupRequest, _ context: CallContext
    ) async throws -> ServiceOutput {
        let user = try Self.subscriber(context)
        guard request.subscriptionIDs.count <= Limits.itemsPerRequest else {
            throw ServiceError.tooMany(
                "subscriptions", request.subscriptionIDs.count, exceeding: "itemsPerRequest",
                Limits.itemsPerRequest)
        }
        return try await store(for: context).readAnswer(.short, for: context.party) { reader in
            let database = try reader.database(context.database)
            return try ServiceOutput { writer in
                writer.beginObject()
                writer.key("subscriptions")
                writer.beginArray()
                for name in request.subscriptionIDs {
                    let row = try database.flatMap {
                        try reader.subscription(named: name, of: user, in: $0)
                    }
                    if let row, row.endedAt == nil {
                        writer.raw(row.definition)
                    } else {
                        writer.itemError(.subscriptionNotFound, subscriptionID: name, context)
                    }
                }
                writer.endArray()
                writer.endObject()
            }
        }
    }

    /// `subscriptions/modify`: stores and deletes subscriptions, each by itself. To store one again changes nothing.
    func modifySubscriptions(
        _ request: SubscriptionsModifyRequest, _ key: IdempotencyKey?, _ context: CallContext
    ) async throws -> ServiceOutput {
        let user = try Self.subscriber(context)
        guard request.operations.count <= Limits.itemsPerRequest else {
            throw ServiceError.tooMany(
                "operations", request.operations.count, exceeding: "itemsPerRequest", Limits.itemsPerRequest)
        }
        let environment = environment
        let output = try await store(for: context).writeAnswer { store in
            let outcome = try IdempotentResult.of(
                key, count: request.operations.count, in: store, now: context.now
            ) {
                try SubscriptionChange(
                    user: user, context: context, store: store, environment: environment
                ).run(request.operations)
            }
            return try Self.answer(request.operations, outcome, context)
        }
        await hub.reload(subscriptionsOf: user)
        return output
    }

    /// What a request is answered, the first time and when it is repeated.
    private static func answer(
        _ operations: [SubscriptionsModifyRequest.Operation], _ outcome: IdempotentResult,
        _ context: CallContext
    ) throws -> ServiceOutput {
        var failures: [ItemFailure] = []
        var output = try ServiceOutput { writer in
            writer.beginObject()
            writer.key("subscriptions")
            writer.beginArray()
            for (operation, item) in zip(operations, outcome.items) {
                switch (operation, item) {
                case (.save(let subscription), .saved(let name)):
                    subscription.completed(named: name).write(to: &writer)
                case (.delete(let name), .deleted):
                    writer.beginObject()
                    writer.member("subscriptionID", name)
                    writer.member("deleted", true)
                    writer.endObject()
                case (_, .failed(let error)):
                    failures.append(ItemFailure(name: operation.subscriptionID, error: error))
                    writer.itemError(error, subscriptionID: operation.subscriptionID, context)
                default: throw IdempotentResult.unreadable
                }
            }
            writer.endArray()
            writer.endObject()
        }
        output.note(failures, among: operations.count)
        return output
    }

    /// Whose receivers' connections are counted together.
    static func party(ofReceiversOf user: String, _ tenant: Tenant) -> String { "\(tenant) \(user)" }

    /// The user whose subscriptions a request is about.
    private static func subscriber(_ context: CallContext) throws(ServiceError) -> String {
        if let user = context.participant {
            return SubscriptionRow.subscriber(inSharedDatabaseOf: user)
        }
        switch context.caller {
        case .user(let name): return name
        case .administrator:
            guard let owner = context.database.owner else {
                throw ServiceError(
                    .badRequest, "Subscriptions belong to users.", remedy: "Ask as a user.")
            }
            return owner
        case .anonymous: throw .needsUser
        }
    }
}

extension JSONWriter {
    /// Writes an error in the place of a subscription.
    fileprivate mutating func itemError(
        _ error: ServiceError, subscriptionID: String?, _ context: CallContext
    ) {
        beginObject()
        member("subscriptionID", subscriptionID)
        error.writeMembers(to: &self, uuid: context.requestID)
        endObject()
    }
}
