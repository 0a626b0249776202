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
    let type: RecordType?
    let condition: ListenedCondition?
    /// Why the subscription fires on nothing any more, in a sentence: its query cannot be understood with the schema, or
    /// the rights, of now.
    let problem: String?

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
            condition = Self.everything
            problem = nil
            return
        }
        do throws(ServiceError) {
            condition = ListenedCondition(try Self.plan(query, schema: schema, context).condition)
            problem = nil
        } catch {
            condition = nil
            problem = error.reason
        }
    }

    private static let everything = ListenedCondition(.constant(true))

    /// The query of a subscription, understood.
    ///
    /// - Throws: what a query for the same records would.
    static func plan(
        _ query: QueryDictionary, schema: Schema, _ context: CallContext
    ) throws(ServiceError) -> QueryPlan {
        try QueryPlan(RecordsQueryRequest(query: query), schema: schema, context)
    }

    /// What a change was, for those who are told of it.
    enum Reason: Int {
        case created = 1
        case updated = 2
        case deleted = 3
    }

    /// Why a subscription does not fire on a change.
    enum Silence: Hashable {
        /// The change is of another database, type or zone.
        case otherDatabase, otherType, otherZone
        /// It was made after the change, or had fired once before it.
        case tooLate, ended
        /// Something happened that the subscription is not about: to a zone or a type.
        case otherKind
        /// It does not fire on what was done.
        case trigger(SubscriptionDictionary.Trigger)
        /// ``problem`` says why.
        case broken
        /// The record does not fulfil the query, or its user may not read it, or its stored form is damaged.
        case condition, right, damaged
    }

    /// What a subscription says of a change.
    enum Outcome: Hashable {
        case fires(Reason)
        case silent(Silence)
    }

    /// What the subscription would say of a change whose record fulfils its query, and what has to be asked for that.
    ///
    /// - Returns: nil where it does not fire in any case; no condition where it does.
    func question(
        of change: FollowedChange, _ visibility: ChangeVisibility
    ) -> (reason: Reason, condition: ListenedCondition?, side: ChangeSides)? {
        guard case .fires(let reason) = outcome(of: change, visibility, isFulfilled: true) else { return nil }
        let side: ChangeSides = reason == .deleted ? .before : .after
        return (reason, definition.kind == .query ? condition : nil, side)
    }

    /// Whether the subscription fires on a change, and why not: what is told and what is explained is decided here.
    ///
    /// - Parameter isFulfilled: whether the record fulfils the query; nil to look, which may take long.
    func outcome(
        of change: FollowedChange, _ visibility: ChangeVisibility, isFulfilled: Bool? = nil
    ) -> Outcome {
        let logged = change.logged
        let isHere = logged.database == row.database || visibility.shared != nil
        guard isHere else { return .silent(.otherDatabase) }
        guard logged.sequence > row.since else { return .silent(.tooLate) }
        if let end = row.endedAt, logged.sequence > end { return .silent(.ended) }
        if let shared = visibility.shared { return outcomeInShared(change, shared) }
        switch definition.kind {
        case .query: return outcomeOfQuery(change, visibility, isFulfilled)
        case .zone: return logged.zone == row.zone ? outcomeOfAny(change, visibility) : .silent(.otherZone)
        case .database:
            let isQuiet = logged.zoneName == ZoneID.defaultName && !coversDefaultZone
            return isQuiet ? .silent(.otherZone) : outcomeOfAny(change, visibility)
        }
    }

    private func outcomeOfQuery(
        _ change: FollowedChange, _ visibility: ChangeVisibility, _ isFulfilled: Bool?
    ) -> Outcome {
        let logged = change.logged
        guard logged.type == row.type else { return .silent(.otherType) }
        guard row.zone == 0 || logged.zone == row.zone else { return .silent(.otherZone) }
        guard let condition else { return .silent(.broken) }
        let reason: Reason
        let trigger: SubscriptionDictionary.Trigger
        switch logged.kind {
        case .created: (reason, trigger) = (.created, .create)
        case .updated: (reason, trigger) = (.updated, .update)
        case .deleted: (reason, trigger) = (.deleted, .delete)
        case .retagged, .zoneCreated, .zoneDeleted, .typeDeleted, .shareChanged, .shareLost:
            return .silent(.otherKind)
        }
        guard definition.firesOn.contains(trigger) else { return .silent(.trigger(trigger)) }
        guard let record = trigger == .delete ? change.before : change.after else {
            return .silent(.damaged)
        }
        guard isFulfilled ?? record.fulfils(condition.condition) else { return .silent(.condition) }
        return visibility.mayRead(record, of: type) ? .fires(reason) : .silent(.right)
    }

    private func outcomeInShared(_ change: FollowedChange, _ shared: SharedAudience) -> Outcome {
        let logged = change.logged
        guard definition.kind == .database, logged.kind.isForParticipants else { return .silent(.otherKind) }
        guard row.type == ChangeWatch.allTypes || row.type == logged.type else { return .silent(.otherType) }
        guard shared.isTold(of: logged) else { return .silent(.right) }
        return .fires(logged.kind == .shareLost ? .deleted : .updated)
    }

    private func outcomeOfAny(_ change: FollowedChange, _ visibility: ChangeVisibility) -> Outcome {
        let logged = change.logged
        switch logged.kind {
        case .zoneCreated, .zoneDeleted:
            guard definition.kind == .database, definition.recordType == nil else {
                return .silent(.otherKind)
            }
            return .fires(logged.kind == .zoneCreated ? .created : .deleted)
        case .typeDeleted, .shareChanged, .shareLost: return .silent(.otherKind)
        case .created, .updated, .deleted, .retagged: break
        }
        guard row.type == ChangeWatch.allTypes || row.type == logged.type else { return .silent(.otherType) }
        guard let record = change.after ?? change.before else { return .silent(.damaged) }
        guard visibility.mayRead(record, of: type) else { return .silent(.right) }
        return .fires(logged.kind == .created ? .created : logged.kind == .deleted ? .deleted : .updated)
    }
}
