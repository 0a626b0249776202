import RecordModel
import RecordStorage
import RecordWire

/// A stored webhook that is understood: it says of a change whether it is told, and how.
struct WebhookPlan: Sendable {
    /// Why something is delivered, as deliveries name it.
    enum Reason: String, Sendable {
        case create, update, delete
        case zoneCreate, zoneDelete, typeDelete
        /// Changes were forgotten before they could be told: what the receiver knows may be old.
        case startAgain
        /// An operator wants to see whether deliveries arrive.
        case test
    }

    /// The name of the subscription to all types.
    static let allTypes = "*"

    let id: String
    let definition: WebhookDictionary
    let context: CallContext
    /// One for each type, or one for all; the same mechanism as users' subscriptions.
    let subscriptions: [SubscriptionPlan]
    /// The numbers of the types and of the zone that the subscriptions are for.
    private let targets: [Int64]
    let visibility: ChangeVisibility

    /// - Throws: `JSONError` where what is stored is damaged; `StorageError`.
    init(_ row: WebhookRow, _ reader: any StoreReader, baseURL: String) throws {
        id = row.id
        definition = try WebhookDictionary(json: JSONReader.read(row.definition).object ?? JSONObject())
        let schema = try reader.schema(of: row.tenant)
        let context = Self.context(row.tenant, owner: definition.owner, baseURL: baseURL)
        self.context = context
        subscriptions = try reader.subscriptions(of: row.subscriber, in: row.database).map {
            try SubscriptionPlan($0, context, schema: schema, coversDefaultZone: true)
        }
        targets = subscriptions.map(\.row.type)
        visibility = ChangeVisibility(rights: context.rights)
    }

    /// A hook reads as its operator does: all of its database.
    static func context(_ tenant: Tenant, owner: String?, baseURL: String = "") -> CallContext {
        CallContext(
            tenant: tenant, database: DatabaseID(tenant: tenant, owner: owner),
            caller: .administrator("webhook"), now: 0, requestID: "", baseURL: baseURL)
    }

    /// The subscriptions that a definition means.
    ///
    /// - Parameter skipsMissing: whether types and a zone that are not there are left out, and types that lack what the
    ///   predicate asks for.
    /// - Throws: what a query for the same records would; `NOT_FOUND` for an unknown type; `ZONE_NOT_FOUND`.
    static func subscriptions(
        _ definition: WebhookDictionary, _ context: CallContext, _ reader: any StoreReader, database: Int64,
        skipsMissing: Bool = false
    ) throws -> [(name: String, type: Int64, zone: Int64, definition: SubscriptionDictionary)] {
        var zone: Int64 = 0
        if let name = definition.zoneName {
            guard let found = try reader.zone(named: name, in: database) else {
                if skipsMissing { return [] }
                throw ServiceError(.zoneNotFound, "The zone '\(name.prefix(64))' does not exist.")
            }
            zone = found.id
        }
        guard !definition.recordTypes.isEmpty else {
            guard definition.predicate == nil else {
                throw ServiceError(
                    .badRequest, "A predicate needs the record types that it is about.",
                    remedy: "Name them: --type Player.")
            }
            let kind: SubscriptionDictionary.Kind = zone == 0 ? .database : .zone
            let subscription = SubscriptionDictionary(kind: kind, subscriptionID: allTypes)
            return [(allTypes, ChangeWatch.allTypes, zone, subscription)]
        }
        let schema = try reader.schema(of: context.tenant)
        return try definition.recordTypes.compactMap { name in
            var subscription = SubscriptionDictionary(kind: .query, subscriptionID: name)
            let query = definition.query(of: name)
            subscription.query = query
            subscription.firesOn = definition.firesOn
            do {
                let plan = try SubscriptionPlan.plan(query, schema: schema, context)
                // One that was taken before there was a price goes on.
                if !skipsMissing { try ListenedCondition(plan.condition).checkPrice() }
                return (name, plan.type.id, zone, subscription)
            } catch let error as ServiceError {
                if skipsMissing { return nil }
                throw error
            }
        }
    }

    /// Whether the types that the hook names are surely the ones that its subscriptions are for: a type or a zone that
    /// was deleted takes its subscriptions along, also where another one has its name now.
    func isComplete(_ schema: Schema) -> Bool {
        // Zones are in no memory.
        guard definition.zoneName == nil else { return false }
        guard !definition.recordTypes.isEmpty else { return !subscriptions.isEmpty }
        return definition.recordTypes.allSatisfy { name in
            schema.types[name].map { targets.contains($0.id) } ?? true
        }
    }

    /// Why the hook hears nothing of some types any more, in sentences.
    func problems(_ schema: Schema) -> [String] {
        let broken = subscriptions.compactMap { subscription in
            subscription.problem.map { "It is not notified of '\(subscription.row.name)': \($0)" }
        }
        let missing = definition.recordTypes.filter { schema.types[$0] == nil }.map {
            "It is not notified of '\($0)': that record type no longer exists."
        }
        let unfit = definition.recordTypes.compactMap { name -> String? in
            guard let type = schema.types[name], !targets.contains(type.id) else { return nil }
            do throws(ServiceError) {
                _ = try SubscriptionPlan.plan(definition.query(of: name), schema: schema, context)
                return nil
            } catch {
                return "It is not notified of '\(name)': \(error.reason)"
            }
        }
        let hasNoZone = subscriptions.isEmpty && missing.isEmpty && unfit.isEmpty
        return broken + missing + unfit
            + (hasNoZone
                ? [
                    "It is notified of nothing: the zone '\(definition.zoneName ?? "")' is not there any more."
                ]
                : [])
    }

    /// Why a change is told; nil where it is not.
    ///
    /// - Throws: `CancellationError` where the task is cancelled before that is known, or the server stops.
    func reason(for change: FollowedChange, by desk: ConditionEvaluator) async throws -> Reason? {
        guard let subscriptions = asked(of: change) else { return reasonOfAll(change) }
        for subscription in subscriptions {
            guard let asked = subscription.question(of: change, visibility), let reason = reason(asked.reason)
            else { continue }
            guard let condition = asked.condition else { return reason }
            guard
                let verdict = await desk.verdict(of: condition, on: change, asked.side, for: "webhook \(id)")
            else { throw CancellationError() }
            if (asked.side == .before ? verdict.before : verdict.after) == true { return reason }
        }
        return nil
    }

    /// The same, at once: for an operator who asks why.
    func reason(for change: FollowedChange) -> Reason? {
        guard let subscriptions = asked(of: change) else { return reasonOfAll(change) }
        for subscription in subscriptions {
            if case .fires(let found) = subscription.outcome(of: change, visibility),
                let reason = reason(found)
            {
                return reason
            }
        }
        return nil
    }

    /// The subscriptions that decide of a change; nil where it is about a zone or a type.
    private func asked(of change: FollowedChange) -> [SubscriptionPlan]? {
        switch change.kind {
        case .typeDeleted, .zoneCreated, .zoneDeleted, .shareChanged, .shareLost: nil
        case .created, .updated, .deleted, .retagged: subscriptions
        }
    }

    /// The reason of a subscription, where the hook fires on it.
    private func reason(_ found: SubscriptionPlan.Reason) -> Reason? {
        let (trigger, reason): (SubscriptionDictionary.Trigger, Reason) =
            switch found {
            case .created: (.create, .create)
            case .updated: (.update, .update)
            case .deleted: (.delete, .delete)
            }
        return definition.firesOn.contains(trigger) ? reason : nil
    }

    /// Why a change of a zone or a type is told.
    private func reasonOfAll(_ change: FollowedChange) -> Reason? {
        let logged = change.logged
        let fires = Set(definition.firesOn)
        switch logged.kind {
        case .typeDeleted:
            // By its name: its subscription went with it.
            let isWanted = definition.recordTypes.isEmpty || definition.recordTypes.contains(logged.name)
            return isWanted && fires.contains(.delete) ? .typeDelete : nil
        case .zoneCreated, .zoneDeleted:
            guard definition.zoneName == nil || definition.zoneName == logged.zoneName else { return nil }
            if logged.kind == .zoneDeleted { return fires.contains(.delete) ? .zoneDelete : nil }
            return definition.recordTypes.isEmpty && fires.contains(.create) ? .zoneCreate : nil
        case .created, .updated, .deleted, .retagged, .shareChanged, .shareLost: return nil
        }
    }
}

extension WebhookDictionary {
    /// The records of a type that it is about.
    fileprivate func query(of type: String) -> QueryDictionary {
        QueryDictionary(recordType: type, predicate: predicate)
    }
}
