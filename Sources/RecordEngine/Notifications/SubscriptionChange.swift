import RecordModel
import RecordStorage
import RecordWire

/// Storing and deleting subscriptions of a user, in one write.
struct SubscriptionChange {
    let user: String
    let context: CallContext
    let store: any StoreWriter
    let environment: ServiceEnvironment

    /// Does one after the other; what fails does not keep the others.
    func run(_ operations: [SubscriptionsModifyRequest.Operation]) throws -> IdempotentResult {
        var outcome = IdempotentResult()
        for operation in operations {
            do {
                switch operation {
                case .save(let subscription):
                    let name = try save(subscription)
                    outcome.add(.saved(name: subscription.subscriptionID == nil ? name : nil))
                case .delete(let name):
                    try delete(name)
                    outcome.add(.deleted)
                }
            } catch let error as ServiceError {
                outcome.add(.failed(error))
            }
        }
        return outcome
    }

    private func delete(_ name: String) throws {
        let database = try store.makeDatabase(context.database)
        guard try store.subscription(named: name, of: user, in: database) != nil else {
            throw ServiceError.subscriptionNotFound
        }
        try store.deleteSubscription(named: name, of: user, in: database)
    }

    /// Stores a subscription, and gives its name.
    private func save(_ subscription: SubscriptionDictionary) throws -> String {
        let name = try subscription.subscriptionID ?? newName()
        guard (1...Limits.nameLength).contains(name.utf8.count) else {
            throw ServiceError(
                .badRequest, "'subscriptionID' must be 1 to \(Limits.nameLength) bytes long.")
        }
        let subscription = subscription.completed(named: name)
        let (type, zone) = try target(of: subscription)
        let definition = JSONWriter.text { subscription.write(to: &$0) }
        guard definition.count <= Limits.subscriptionBytes else {
            throw ServiceError(
                exceeding: "subscriptionBytes",
                "The subscription has \(definition.count) bytes; \(Limits.subscriptionBytes) are allowed.")
        }
        let database = try store.makeDatabase(context.database)
        let existing = try store.subscription(named: name, of: user, in: database)
        if let existing, existing.endedAt == nil, existing.definition == definition, existing.type == type,
            existing.zone == zone
        {
            return name
        }
        if existing == nil { try makeRoom(in: database) }
        // What is shared is logged in any case.
        let watched =
            context.scope == .shared ? 0 : try store.watch(type, in: database, at: context.now).since
        // A subscription that looks at the same records as before goes on where it was.
        let goesOn = existing.map { $0.endedAt == nil && $0.type == type && $0.zone == zone } ?? false
        let since = try goesOn ? existing?.since ?? watched : store.nextSequence()
        assert(since >= watched, "A subscription counts what is logged.")
        try store.store(
            SubscriptionRow(
                database: database, user: user, name: name, type: type, zone: zone, since: since,
                definition: definition))
        return name
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
                exceeding: "subscriptionsPerUser",
                "You have \(Limits.subscriptionsPerUser) subscriptions in this database; no more are allowed.",
                remedy: "Delete those that you do not need.")
        }
    }

    /// The numbers of the type and the zone that a subscription looks at; 0 for all.
    ///
    /// The reference of CloudKit Web Services ('Creating and Modifying Subscriptions') has queries in public and
    /// private databases, zones and databases in private ones; `CKDatabaseSubscription` says that the shared one has databases only.
    private func target(of subscription: SubscriptionDictionary) throws -> (type: Int64, zone: Int64) {
        let schema = try store.schema(of: context.tenant)
        guard context.scope != .shared || subscription.kind == .database else {
            throw ServiceError.notInShared(
                "The shared database takes subscriptions of type 'database' only.",
                remedy:
                    "Save one of type 'database': it fires on what is shared with you, and 'changes/database' says where."
            )
        }
        switch subscription.kind {
        case .query:
            guard let query = subscription.query else { throw JSONError.missing("query") }
            guard !subscription.firesOn.isEmpty else {
                throw ServiceError(
                    .badRequest, "'firesOn' is missing.",
                    remedy: "Set 'firesOn' to one or more of 'create', 'update', 'delete'.")
            }
            let plan = try SubscriptionPlan.plan(query, schema: schema, context)
            try ListenedCondition(plan.condition).checkPrice()
            let type = plan.type
            guard let zoneID = subscription.zoneID, subscription.zoneWide == false else {
                return (type.id, 0)
            }
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

extension SubscriptionDictionary {
    /// As it is stored and answered: with its name, and whether a query looks at all zones.
    ///
    /// - Parameter name: the one that the service chose; nil for its own.
    func completed(named name: String?) -> SubscriptionDictionary {
        var subscription = self
        if let name { subscription.subscriptionID = name }
        if kind == .query { subscription.zoneWide = zoneID == nil || zoneWide == true }
        return subscription
    }
}

extension ServiceError {
    /// No subscription of a name.
    static let subscriptionNotFound = ServiceError(.notFound, "Subscription not found")

    fileprivate static let privateSubscription = ServiceError(
        .badRequest, "Subscriptions of this type live in private databases only.",
        remedy: "Use a subscription of type 'query' in the public database.")
}
