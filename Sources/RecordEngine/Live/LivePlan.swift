import RecordModel
import RecordStorage
import RecordWire

/// What a live query or a live count asks for, by whom, and what that means: as of a moment ago.
struct LivePlan: Sendable {
    let service: RecordService
    let call: ServiceCall
    let context: CallContext
    let plan: QueryPlan
    /// What is asked of each change.
    let condition: ListenedCondition
    let limit: Int
    let database: Int64
    /// What the plan is known by; made once for all events.
    let fingerprint: String
    /// Who is told the same of a change.
    let audience: LiveAudience?

    var request: RecordsQueryRequest { plan.request }

    init(
        service: RecordService, call: ServiceCall, context: CallContext, plan: QueryPlan, limit: Int,
        database: Int64, condition: ListenedCondition? = nil
    ) {
        // The same object is soon found to be equal.
        self.condition =
            condition.flatMap { $0.condition == plan.condition ? $0 : nil }
            ?? ListenedCondition(plan.condition)
        self.service = service
        self.call = call
        self.context = context
        self.plan = plan
        self.limit = limit
        self.database = database
        fingerprint = plan.fingerprint
        audience = LiveAudience(plan, fingerprint, context)
    }

    /// The same question as of now: tokens end, roles come and go, schemas change.
    ///
    /// - Throws: what the query would be refused with; ``Sessions/ReplacedToken`` where the client has another token by now,
    ///   with which it goes on when this stream ends.
    func renewed() async throws -> LivePlan {
        let context = try await service.context(for: call, isWhole: true, isRenewal: true)
        return LivePlan(
            service: service, call: call, context: context,
            plan: try QueryPlan(request, schema: service.store.schema(of: context.tenant), context),
            limit: limit, database: database, condition: condition)
    }

    /// Whether the result of another one is another.
    func hasOtherResult(than other: LivePlan) -> Bool {
        plan.condition != other.plan.condition || plan.sort != other.plan.sort
    }

    func isInZone(_ change: FollowedChange) -> Bool {
        plan.isZoneWide || change.logged.zoneName == (request.zoneID ?? .default).zoneName
    }

    // MARK: What is read

    /// Whether who has a cursor has the same query, and the log every change since.
    func canGoOn(after cursor: LiveCursor, isCount: Bool) async throws -> Bool {
        // What was shared then is not known any more.
        guard !isShared, cursor.query == fingerprint, (cursor.count != nil) == isCount else { return false }
        return try await service.store.read(.short, for: context.party) { [plan, database] reader in
            guard let watch = try reader.watch(of: plan.type.id, in: database) else { return false }
            // One of the future is of another store, or of this one before it was brought back from a backup.
            return try cursor.position >= watch.since && cursor.position >= reader.forgottenChanges()
                && cursor.position <= reader.lastSequence()
        }
    }

    /// The next portion of the log; nil where the log has forgotten some of it.
    func changes(after place: Int64) async throws -> [LoggedChange]? {
        try await service.store.read(.long, for: context.party) { [database] in
            // In this order: what is forgotten in between is missed, and seen to be.
            let changes = try $0.loggedChanges(after: place, in: database, limit: ChangeHub.portion)
            return try place >= $0.forgottenChanges() ? changes : nil
        }
    }

    /// The first page as it is now, and the position of what it shows.
    func page(isReplacement: Bool) async throws -> (json: [UInt8], place: Int64) {
        let effort = service.store.effort(
            of: plan.scan(zones: plan.isZoneWide ? [0, 1] : [0], after: nil, limit: limit))
        return try await service.store.read(effort, for: context.party) { reader in
            (try page(reader, isReplacement: isReplacement), try reader.lastSequence())
        }
    }

    /// Counts as `records/count` does, with the same bounds, and gives the position of the count.
    ///
    /// - Parameter isKnown: whether the client has a count: of a zone that is gone since, it has no records.
    func count(isKnown: Bool) async throws -> (count: Int, place: Int64) {
        try await service.store.read(.long, for: context.party) { reader in
            let place = try reader.lastSequence()
            do {
                let zones = try plan.zones(context, reader)
                let scan = plan.scan(zones: zones.map(\.id), after: nil, limit: 0)
                return (try zones.isEmpty ? 0 : reader.count(scan), place)
            } catch let error as ServiceError where error.code == .zoneNotFound && isKnown {
                // It goes on in case the zone comes back.
                return (0, place)
            }
        }
    }
}
