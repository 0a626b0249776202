import RecordModel
import RecordStorage
import RecordWire

/// A stored subscription that is understood: it says of a change whether it fires.
struct SubscriptionPlan: Sendable {
    let row: SubscriptionRow
    let definition: SubscriptionDictionary
    /// Whether changes of the default zone count for all records of a database: for channels that bring the record
    /// along; it has no feed in which a client could read on.
    private let coversDefaultZone: Bool
    /// For queries: the type, and what its records have to fulfil; nil where the schema has lost what it asks for.
    private let type: RecordType?
    private let condition: Condition?

    /// - Throws: `JSONError` where the stored definition is damaged.
    init(
        _ row: SubscriptionRow, _ context: CallContext, schema: Schema, coversDefaultZone: Bool = false
    ) throws(JSONError) {
        self.row = row
        self.coversDefaultZone = coversDefaultZone
        definition = try SubscriptionDictionary(
            json: JSONReader.read(row.definition).object ?? JSONObject())
        type = schema.type(numbered: row.type)
        guard definition.kind == .query, let query = definition.query else {
            condition = .constant(true)
            return
        }
        condition = try? Self.plan(query, schema: schema, context).condition
    }

    /// The query of a subscription, understood.
    ///
    /// - Throws: what a query for the same records would.
    static func plan(
        _ query: QueryDictionary, schema: Schema, _ context: CallContext
    ) throws(ServiceError) -> QueryPlan {
        try QueryPlan(RecordsQueryRequest(query: query), schema: schema, context)
    }

    /// What a change was, for who is told.
    enum Reason: Int {
        case created = 1
        case updated = 2
        case deleted = 3
    }

    /// Why the subscription fires on a change; nil where it does not.
    func reason(for change: FollowedChange, _ visibility: ChangeVisibility) -> Reason? {
        let logged = change.logged
        guard logged.database == row.database, logged.sequence > row.since else { return nil }
        if let end = row.endedAt, logged.sequence > end { return nil }
        switch definition.kind {
        case .query: return reasonOfQuery(for: change, visibility)
        case .zone: return logged.zone == row.zone ? reasonOfAny(change, visibility) : nil
        case .database:
            let isQuiet = logged.zoneName == ZoneID.defaultName && !coversDefaultZone
            return isQuiet ? nil : reasonOfAny(change, visibility)
        }
    }

    private func reasonOfQuery(for change: FollowedChange, _ visibility: ChangeVisibility) -> Reason? {
        let logged = change.logged
        guard logged.type == row.type, row.zone == 0 || logged.zone == row.zone, let condition else {
            return nil
        }
        let reason: Reason
        let trigger: SubscriptionDictionary.Trigger
        switch logged.kind {
        case .created: (reason, trigger) = (.created, .create)
        case .updated: (reason, trigger) = (.updated, .update)
        case .deleted: (reason, trigger) = (.deleted, .delete)
        case .retagged, .zoneCreated, .zoneDeleted, .typeDeleted: return nil
        }
        guard definition.firesOn.contains(trigger),
            let record = trigger == .delete ? change.before : change.after,
            record.fulfils(condition), visibility.mayRead(record, of: type)
        else { return nil }
        return reason
    }

    private func reasonOfAny(_ change: FollowedChange, _ visibility: ChangeVisibility) -> Reason? {
        let logged = change.logged
        switch logged.kind {
        case .zoneCreated, .zoneDeleted:
            guard definition.kind == .database, definition.recordType == nil else { return nil }
            return logged.kind == .zoneCreated ? .created : .deleted
        case .typeDeleted: return nil
        case .created, .updated, .deleted, .retagged: break
        }
        guard row.type == ChangeWatch.allTypes || row.type == logged.type,
            let record = change.after ?? change.before, visibility.mayRead(record, of: type)
        else { return nil }
        return logged.kind == .created ? .created : logged.kind == .deleted ? .deleted : .updated
    }
}
