import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// `subscriptions/list`: all subscriptions of the caller in the database.
    func listSubscriptions(_ context: CallContext) async throws -> ServiceOutput {
        let user = try Self.subscriber(context)
        return try await store.read(.short, for: context.party) { reader in
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
                "subscriptions", request.subscriptionIDs.count, Limits.itemsPerRequest)
        }
        return try await store.read(.short, for: context.party) { reader in
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
        _ request: SubscriptionsModifyRequest, _ context: CallContext
    ) async throws -> ServiceOutput {
        let user = try Self.subscriber(context)
        guard request.operations.count <= Limits.itemsPerRequest else {
            throw ServiceError.tooMany("operations", request.operations.count, Limits.itemsPerRequest)
        }
        let environment = environment
        let output = try await store.write { store in
            var failures: [ItemFailure] = []
            var output = try ServiceOutput { writer in
                writer.beginObject()
                writer.key("subscriptions")
                writer.beginArray()
                for operation in request.operations {
                    do {
                        let change = SubscriptionChange(
                            user: user, context: context, store: store, environment: environment)
                        switch operation {
                        case .save(let subscription): writer.raw(try change.save(subscription))
                        case .delete(let name):
                            try change.delete(name)
                            writer.beginObject()
                            writer.member("subscriptionID", name)
                            writer.member("deleted", true)
                            writer.endObject()
                        }
                    } catch let error as ServiceError {
                        failures.append(ItemFailure(name: operation.subscriptionID, error: error))
                        writer.itemError(error, subscriptionID: operation.subscriptionID, context)
                    }
                }
                writer.endArray()
                writer.endObject()
            }
            output.note(failures, among: request.operations.count)
            return output
        }
        await hub.reload(subscriptionsOf: user)
        return output
    }

    /// Whose receivers' connections are counted together.
    static func party(ofReceiversOf user: String, _ tenant: Tenant) -> String { "\(tenant) \(user)" }

    /// The user whose subscriptions a request is about.
    private static func subscriber(_ context: CallContext) throws(ServiceError) -> String {
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

/// Storing and deleting one subscription of a user, in one write.
private struct SubscriptionChange {
    let user: String
    let context: CallContext
    let store: any StoreWriter
    let environment: ServiceEnvironment

    func delete(_ name: String) throws {
        let database = try store.makeDatabase(context.database)
        guard try store.subscription(named: name, of: user, in: database) != nil else {
            throw ServiceError.subscriptionNotFound
        }
        try store.deleteSubscription(named: name, of: user, in: database)
    }

    /// Stores a subscription, and gives it as it is answered.
    func save(_ subscription: SubscriptionDictionary) throws -> [UInt8] {
        var subscription = subscription
        let name = try subscription.subscriptionID ?? newName()
        guard (1...Limits.nameLength).contains(name.utf8.count) else {
            throw ServiceError(
                .badRequest, "'subscriptionID' must be 1 to \(Limits.nameLength) bytes long.")
        }
        subscription.subscriptionID = name
        let (type, zone) = try target(of: &subscription)
        let definition = JSONWriter.text { subscription.write(to: &$0) }
        guard definition.count <= Limits.subscriptionBytes else {
            throw ServiceError(
                .quotaExceeded,
                "The subscription has \(definition.count) bytes; \(Limits.subscriptionBytes) are allowed.")
        }
        let database = try store.makeDatabase(context.database)
        let existing = try store.subscription(named: name, of: user, in: database)
        if let existing, existing.endedAt == nil, existing.definition == definition, existing.type == type,
            existing.zone == zone
        {
            return definition
        }
        if existing == nil { try makeRoom(in: database) }
        let watch = try store.watch(type, in: database, at: context.now)
        // A subscription that looks at the same records as before goes on where it was.
        let goesOn = existing.map { $0.endedAt == nil && $0.type == type && $0.zone == zone } ?? false
        let since = try goesOn ? existing?.since ?? watch.since : store.nextSequence()
        assert(since >= watch.since, "A subscription counts what is logged.")
        try store.store(
            SubscriptionRow(
                database: database, user: user, name: name, type: type, zone: zone, since: since,
                definition: definition))
        return definition
    }

    private func newName() throws(ServiceError) -> String {
        TimeOrderedName.make(now: context.now, random: environment.random(10))
    }

    /// Those that fired once are gone when nobody may have to be told of them any more.
    private func makeRoom(in database: Int64) throws {
        let rows = try store.subscriptions(of: user, in: database)
        guard rows.count >= Limits.subscriptionsPerUser else { return }
        let horizon = try store.forgottenChanges()
        var count = rows.count
        for row in rows where row.endedAt.map({ $0 <= horizon }) ?? false {
            try store.deleteSubscription(named: row.name, of: user, in: database)
            count -= 1
        }
        guard count < Limits.subscriptionsPerUser else {
            throw ServiceError(
                .quotaExceeded,
                "You have \(Limits.subscriptionsPerUser) subscriptions in this database; no more are allowed.",
                remedy: "Delete those that you do not need.")
        }
    }

    /// The numbers of the type and the zone that a subscription looks at; 0 for all.
    ///
    /// The reference of CloudKit Web Services ('Creating and Modifying Subscriptions') has queries in public and
    /// private databases, zones and databases in private ones.
    private func target(of subscription: inout SubscriptionDictionary) throws -> (type: Int64, zone: Int64) {
        let schema = try store.schema(of: context.tenant)
        switch subscription.kind {
        case .query:
            guard let query = subscription.query else { throw JSONError.missing("query") }
            guard !subscription.firesOn.isEmpty else {
                throw ServiceError(
                    .badRequest, "'firesOn' is missing.",
                    remedy: "Name 'create', 'update' or 'delete', or some.")
            }
            let type = try SubscriptionPlan.plan(query, schema: schema, context).type
            guard let zoneID = subscription.zoneID, subscription.zoneWide != true else {
                subscription.zoneWide = true
                return (type.id, 0)
            }
            subscription.zoneWide = false
            return (type.id, try number(of: zoneID))
        case .zone:
            guard context.database.owner != nil else { throw ServiceError.privateSubscription }
            guard let zoneID = subscription.zoneID, !zoneID.isDefault else {
                throw ServiceError(
                    .badRequest, "A subscription of type 'zone' needs the 'zoneID' of a custom zone.")
            }
            return (try number(ofTypeOf: subscription, schema), try number(of: zoneID))
        case .database:
            guard context.database.owner != nil else { throw ServiceError.privateSubscription }
            return (try number(ofTypeOf: subscription, schema), 0)
        }
    }

    private func number(of zoneID: ZoneID) throws -> Int64 {
        try Zones.findForWriting(zoneID, context, store).id
    }

    private func number(ofTypeOf subscription: SubscriptionDictionary, _ schema: Schema) throws -> Int64 {
        guard let name = subscription.recordType else { return ChangeWatch.allTypes }
        guard let type = schema.types[name] else {
            throw ServiceError(.notFound, "did not find required record type")
        }
        return type.id
    }
}

extension ServiceError {
    /// No subscription of a name.
    fileprivate static let subscriptionNotFound = ServiceError(.notFound, "Subscription not found")

    fileprivate static let privateSubscription = ServiceError(
        .badRequest, "Subscriptions of this type live in private databases only.",
        remedy: "Use a subscription of type 'query' in the public database.")
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
