import RecordModel
import RecordStorage
import RecordWire

/// A live query of one client, opened by ``RecordService/openLive(_:after:from:)``.
public struct LiveQuery: Sendable {
    let service: RecordService
    let call: ServiceCall
    /// Who asks, and what the query means for them, as of a moment ago.
    var context: CallContext
    let request: RecordsQueryRequest
    var plan: QueryPlan { didSet { fingerprint = plan.fingerprint } }
    /// What the plan is known by; made once for all events.
    private var fingerprint: String
    let limit: Int
    let database: Int64
    /// The position that the client has, where it goes on with one.
    let cursor: LiveCursor?
    let receiver: ChangeReceiver
    private var checkedAt = ContinuousClock.now

    init(
        service: RecordService, call: ServiceCall, context: CallContext, request: RecordsQueryRequest,
        plan: QueryPlan, limit: Int, database: Int64, cursor: LiveCursor?, receiver: ChangeReceiver
    ) {
        self.service = service
        self.call = call
        self.context = context
        self.request = request
        self.plan = plan
        fingerprint = plan.fingerprint
        self.limit = limit
        self.database = database
        self.cursor = cursor
        self.receiver = receiver
    }

    /// Gives the place of the query back without having run it.
    public func close() async { await service.hub.detach(receiver) }

    /// Sends events until the client leaves, the server stops or `Limits.liveSeconds` are over.
    ///
    /// - Parameter send: takes an event, and returns when the connection has room for the next one.
    /// - Throws: what `send` throws.
    public func run(_ send: (LiveEvent) async throws -> Void) async throws {
        do {
            var query = self
            try await query.follow(send)
        } catch let error as ServiceError {
            let json = error.json(uuid: context.requestID)
            // The last event: a client that is gone needs none.
            try? await send(LiveEvent(name: .error, id: id(of: 0), json: json))
        } catch {
            await close()
            throw error
        }
        await close()
    }

    /// The id of an event.
    private func id(of place: Int64) -> String {
        LiveCursor(position: place, query: fingerprint).text
    }

    /// Looks again who asks: tokens end, roles come and go, schemas change. Where that makes another result, the page is
    /// sent again.
    ///
    /// - Throws: what the query would be refused with now.
    private mutating func checkRights(
        _ place: inout Int64, _ send: (LiveEvent) async throws -> Void
    ) async throws {
        guard ContinuousClock.now - checkedAt >= .seconds(ChangeVisibility.rememberedSeconds) else { return }
        context = try await service.context(for: call, isWhole: true)
        let newPlan = try QueryPlan(request, schema: service.store.schema(of: context.tenant), context)
        let isOther = newPlan.condition != plan.condition || newPlan.sort != plan.sort
        plan = newPlan
        checkedAt = .now
        if isOther { place = max(place, try await sendPage(isReplacement: true, send)) }
    }

    private mutating func follow(_ send: (LiveEvent) async throws -> Void) async throws {
        let end = ContinuousClock.now + .seconds(Limits.liveSeconds)
        var (place, sentAt) = (try await begin(send), ContinuousClock.now)
        while !Task.isCancelled, ContinuousClock.now < end {
            try await checkRights(&place, send)
            switch receiver.take() {
            case .changes(let changes, let tail):
                for change in changes where change.sequence > place {
                    guard try await tell(change, &place, send) else { continue }
                    sentAt = .now
                }
                place = max(place, tail)
            case .overflow:
                return try await send(LiveEvent(name: .behind, id: id(of: place), json: Array("{}".utf8)))
            case .reload: break
            case .end: return
            }
            if ContinuousClock.now - sentAt >= .seconds(Limits.liveHeartbeatSeconds) {
                try await send(LiveEvent(name: .beat, id: id(of: place), json: []))
                sentAt = .now
            }
            await receiver.wait()
        }
    }

    /// Sends what the client lacks so far, and gives the position up to which it has everything.
    private func begin(_ send: (LiveEvent) async throws -> Void) async throws -> Int64 {
        guard let cursor else { return try await sendPage(isReplacement: false, send) }
        guard try await canGoOn(after: cursor) else { return try await sendPage(isReplacement: true, send) }
        var place = cursor.position
        while true {
            let from = place
            let changes = try await service.store.read(.long, for: context.party) { [database] in
                try $0.loggedChanges(after: from, in: database, limit: ChangeHub.portion)
            }
            guard let last = changes.last else { return place }
            for change in changes where change.sequence > place && receiver.wants(change) {
                _ = try await tell(FollowedChange(change), &place, send)
            }
            place = max(place, last.sequence)
        }
    }

    /// Whether the client has the same query, and the log every change since.
    private func canGoOn(after cursor: LiveCursor) async throws -> Bool {
        guard cursor.query == fingerprint else { return false }
        return try await service.store.read(.short, for: context.party) { [plan, database] reader in
            guard let watch = try reader.watch(of: plan.type.id, in: database) else { return false }
            // One of the future is of another store, or of this one before it was brought back from a backup.
            return try cursor.position >= watch.since && cursor.position >= reader.forgottenChanges()
                && cursor.position <= reader.lastSequence()
        }
    }

    /// Sends the first page as it is now.
    private func sendPage(
        isReplacement: Bool, _ send: (LiveEvent) async throws -> Void
    ) async throws -> Int64 {
        let effort = service.store.effort(
            of: plan.scan(zones: plan.isZoneWide ? [0, 1] : [0], after: nil, limit: limit))
        let (json, place) = try await service.store.read(effort, for: context.party) { reader in
            (try page(reader, isReplacement: isReplacement), try reader.lastSequence())
        }
        try await send(LiveEvent(name: .page, id: id(of: place), json: json))
        return place
    }

    /// Sends what a change means for the result, if it means anything.
    ///
    /// - Returns: whether something was sent.
    private func tell(
        _ change: FollowedChange, _ place: inout Int64, _ send: (LiveEvent) async throws -> Void
    ) async throws -> Bool {
        defer { place = max(place, change.sequence) }
        switch change.kind {
        case .zoneDeleted:
            guard isInZone(change) else { return false }
            place = max(place, try await sendPage(isReplacement: true, send))
            return true
        case .typeDeleted:
            guard change.logged.type == plan.type.id else { return false }
            throw ServiceError(
                .notFound, "did not find required record type",
                remedy: "The type '\(plan.type.name)' was removed from the schema.")
        case .zoneCreated: return false
        case .created, .updated, .deleted, .retagged: break
        }
        guard let (name, json) = try event(of: change) else { return false }
        try await send(LiveEvent(name: name, id: id(of: change.sequence), json: json))
        return true
    }

    func isInZone(_ change: FollowedChange) -> Bool {
        plan.isZoneWide || change.logged.zoneName == (request.zoneID ?? .default).zoneName
    }
}
