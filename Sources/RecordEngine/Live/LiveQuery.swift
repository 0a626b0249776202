import RecordModel
import RecordStorage
import RecordWire

/// A live query or a live count of one client, opened by ``RecordService/openLive(_:after:from:)``.
public struct LiveQuery: Sendable {
    let service: RecordService
    let call: ServiceCall
    /// Who asks, and what the query means for them, as of a moment ago.
    var context: CallContext
    let request: RecordsQueryRequest
    var plan: QueryPlan {
        didSet {
            fingerprint = plan.fingerprint
            audience = LiveAudience(plan, fingerprint, request, context)
        }
    }
    /// What the plan is known by; made once for all events.
    private var fingerprint: String
    /// Who is told the same of a change.
    var audience: LiveAudience?
    let limit: Int
    let database: Int64
    /// The position that the client has, where it goes on with one.
    let cursor: LiveCursor?
    let receiver: ChangeReceiver
    /// The number that is wanted instead of records; nil for a live query.
    var tally: LiveTally?
    private var checkedAt = ContinuousClock.now
    private var outbox = LiveOutbox()

    init(
        service: RecordService, call: ServiceCall, context: CallContext, request: RecordsQueryRequest,
        plan: QueryPlan, limit: Int, database: Int64, cursor: LiveCursor?, receiver: ChangeReceiver,
        isCount: Bool
    ) {
        self.service = service
        self.call = call
        self.context = context
        self.request = request
        self.plan = plan
        fingerprint = plan.fingerprint
        audience = LiveAudience(plan, fingerprint, request, context)
        self.limit = limit
        self.database = database
        self.cursor = cursor
        self.receiver = receiver
        tally = isCount ? LiveTally(cursor) : nil
    }

    /// Gives the place of the query back without having run it.
    public func close() async { await service.hub.detach(receiver) }

    /// Sends events until the client leaves, the server stops or `Limits.liveSeconds` are over.
    ///
    /// - Parameter send: takes events, as many as there are by then, and returns when the connection has room for more.
    /// - Throws: what `send` throws.
    public func run(_ send: ([LiveEvent]) async throws -> Void) async throws {
        var query = self
        do {
            try await query.follow(send)
        } catch let error as ServiceError {
            let json = error.json(uuid: context.requestID)
            query.outbox.add(LiveEvent(name: .error, id: id(of: 0), json: json))
            // The last event: a client that is gone needs none.
            try? await query.outbox.flush(send)
        } catch {
            await close()
            throw error
        }
        await close()
    }

    /// The id of an event.
    func id(of place: Int64) -> String { cursor(at: place).text }

    private func cursor(at place: Int64) -> LiveCursor {
        LiveCursor(position: place, query: fingerprint, count: tally.map { max(0, $0.count) })
    }

    /// Looks again who asks: tokens end, roles come and go, schemas change. Where that makes another result, the page is
    /// sent again.
    ///
    /// - Throws: what the query would be refused with now.
    private mutating func checkRights(_ place: inout Int64) async throws {
        guard ContinuousClock.now - checkedAt >= .seconds(ChangeVisibility.rememberedSeconds) else { return }
        context = try await service.context(for: call, isWhole: true)
        let newPlan = try QueryPlan(request, schema: service.store.schema(of: context.tenant), context)
        let isOther = newPlan.condition != plan.condition || newPlan.sort != plan.sort
        plan = newPlan
        checkedAt = .now
        if isOther { place = max(place, try await startAgain()) }
    }

    private mutating func follow(_ send: ([LiveEvent]) async throws -> Void) async throws {
        let end = ContinuousClock.now + .seconds(Limits.liveSeconds)
        var place = try await begin(after: cursor, send)
        while !Task.isCancelled, ContinuousClock.now < end {
            try await checkRights(&place)
            switch receiver.take() {
            case .changes(let changes, let tail):
                for change in changes where change.sequence > place {
                    try await tell(change, &place)
                    if outbox.isFull { try await outbox.flush(send) }
                }
                place = max(place, tail)
            case .overflow where tally != nil:
                // A number needs none of the changes in between: the log has them still.
                place = try await begin(after: cursor(at: place), send)
            case .overflow:
                outbox.add(LiveEvent(name: .behind, id: id(of: place), json: Array("{}".utf8)))
                return try await outbox.flush(send)
            case .reload: break
            case .end: return try await outbox.flush(send)
            }
            try await tellCount(&place)
            if outbox.isIdle { outbox.add(LiveEvent(name: .beat, id: id(of: place), json: [])) }
            try await outbox.flush(send)
            await receiver.wait()
        }
    }

    /// Makes what the client lacks so far, and gives the position up to which it has everything.
    private mutating func begin(
        after cursor: LiveCursor?, _ send: ([LiveEvent]) async throws -> Void
    ) async throws -> Int64 {
        guard let cursor else {
            return try await tally == nil ? addPage(isReplacement: false) : countAgain()
        }
        guard try await canGoOn(after: cursor) else { return try await startAgain() }
        var place = cursor.position
        if let count = cursor.count { tally?.count = count }
        while true {
            let from = place
            let changes = try await service.store.read(.long, for: context.party) { [database] in
                try $0.loggedChanges(after: from, in: database, limit: ChangeHub.portion)
            }
            guard let last = changes.last else { return place }
            for change in changes where change.sequence > place && receiver.wants(change) {
                try await tell(FollowedChange(change), &place)
                if outbox.isFull { try await outbox.flush(send) }
            }
            place = max(place, last.sequence)
        }
    }

    /// Whether the client has the same query, and the log every change since.
    private func canGoOn(after cursor: LiveCursor) async throws -> Bool {
        guard cursor.query == fingerprint, (cursor.count == nil) == (tally == nil) else { return false }
        return try await service.store.read(.short, for: context.party) { [plan, database] reader in
            guard let watch = try reader.watch(of: plan.type.id, in: database) else { return false }
            // One of the future is of another store, or of this one before it was brought back from a backup.
            return try cursor.position >= watch.since && cursor.position >= reader.forgottenChanges()
                && cursor.position <= reader.lastSequence()
        }
    }

    /// Replaces what the client has by what there is now.
    private mutating func startAgain() async throws -> Int64 {
        try await tally == nil ? addPage(isReplacement: true) : countAgain()
    }

    /// Adds the first page as it is now.
    private mutating func addPage(isReplacement: Bool) async throws -> Int64 {
        let effort = service.store.effort(
            of: plan.scan(zones: plan.isZoneWide ? [0, 1] : [0], after: nil, limit: limit))
        let (json, place) = try await service.store.read(effort, for: context.party) { [self] reader in
            (try page(reader, isReplacement: isReplacement), try reader.lastSequence())
        }
        outbox.add(LiveEvent(name: .page, id: id(of: place), json: json))
        return place
    }

    /// Adds what a change means for the result, if it means anything.
    private mutating func tell(_ change: FollowedChange, _ place: inout Int64) async throws {
        defer { place = max(place, change.sequence) }
        switch change.kind {
        case .zoneDeleted:
            if isInZone(change) { place = max(place, try await startAgain()) }
        case .typeDeleted:
            guard change.logged.type == plan.type.id else { return }
            throw ServiceError(
                .notFound, "did not find required record type",
                remedy: "The type '\(plan.type.name)' was removed from the schema.")
        case .zoneCreated: break
        case .created, .updated, .deleted, .retagged:
            if tally != nil {
                countOn(change)
            } else if let event = try sharedEvent(of: change) {
                outbox.add(event)
            }
        }
    }

    /// Adds the count where the client has another one.
    private mutating func tellCount(_ place: inout Int64) async throws {
        guard let number = tally?.count else { return }
        // Only who goes on with a number that was never told can come below nothing.
        if number < 0 { place = max(place, try await countAgain()) }
        guard let count = tally?.count, count != tally?.told else { return }
        outbox.add(LiveEvent(name: .count, id: id(of: place), json: Array("{\"count\":\(count)}".utf8)))
        tally?.told = count
    }

    func isInZone(_ change: FollowedChange) -> Bool {
        plan.isZoneWide || change.logged.zoneName == (request.zoneID ?? .default).zoneName
    }
}
