import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// Opens a live query: the records of a query, and then each change of them as it is committed; or a live count: their
    /// number, whenever it is another one. Our extension.
    ///
    /// Nothing is sent before ``LiveQuery/run(_:)``. Whoever opens one runs it or closes it.
    /// - Parameters:
    ///   - call: a request to `records/live` or `records/live/count`, whose body is that of `records/query`.
    ///   - last: the id of the last event that the client has, to go on after it; nil for the page or the count first.
    ///   - address: who is counted where nobody is signed in.
    /// - Throws: what the query would; `BAD_REQUEST` where its predicate costs too much for one that is asked with each change;
    ///   `THROTTLED` where there are too many.
    public func openLive(
        _ call: ServiceCall, after last: String? = nil, from address: String = ""
    ) async throws -> LiveQuery {
        guard call.credentials.signature == nil else {
            throw ServiceError(
                .badRequest,
                "A live query cannot be signed: its caller is checked again while it is open, and a signature is valid once.",
                remedy: "Send an API token, and a user's 'ckWebAuthToken'.")
        }
        let context = try await context(for: call, isWhole: true)
        let request: RecordsQueryRequest = try decode(call.body)
        guard request.continuationMarker == nil, request.backward == nil else {
            throw ServiceError(
                .badRequest, "A live query begins with its first page.",
                remedy: "Leave 'continuationMarker' and 'backward' out; later pages come by 'records/query'.")
        }
        let cursor = try last.map { text in
            guard let cursor = LiveCursor(text) else {
                throw ServiceError(.badRequest, "'Last-Event-ID' must be the id of an event.")
            }
            return cursor
        }
        let limit = try Self.limit(request.resultsLimit)
        let plan = try QueryPlan(request, schema: store.schema(of: context.tenant), context)
        let condition = ListenedCondition(plan.condition)
        try condition.checkPrice()
        let isShared = context.scope == .shared
        let database = isShared ? 0 : try await watch(plan.type, context)
        let isCount = call.endpoint == .recordsLiveCount
        let party =
            switch context.caller {
            case .user(let name), .administrator(let name):
                Self.party(ofReceiversOf: name, context.tenant)
            case .anonymous: "\(context.tenant) at \(address)"
            }
        let receiver = ChangeReceiver(
            types: isShared ? try await sharedDatabases(plan, context) : [database: [plan.type.id]],
            party: party, subscriber: context.participant,
            connection: LiveConnection(
                tenant: context.tenant, owner: context.database.owner, caller: context.caller,
                address: address, openedAt: context.now, type: plan.type.name, condition: plan.condition,
                isCount: isCount))
        try await hub.attach(receiver, as: .live)
        // It was read, and would be kept for as long as the connection is open.
        var call = call
        call.body = []
        let live = LivePlan(
            service: self, call: call, context: context, plan: plan, limit: limit, database: database,
            condition: condition)
        return LiveQuery(live, after: cursor, receiver: receiver, isCount: isCount)
    }

    /// Has changes of a type logged, and gives the number of the database.
    private func watch(_ type: RecordType, _ context: CallContext) async throws -> Int64 {
        let known = try await store.read(.short) { reader -> (Int64, ChangeWatch)? in
            guard let database = try reader.database(context.database),
                let watch = try reader.watch(of: type.id, in: database)
            else { return nil }
            return (database, watch)
        }
        // A write for each client that connects would be too many.
        let fresh = context.now - Int64(Limits.liveResumeSeconds) * 1_000 / 4
        if let (database, watch) = known, watch.usedAt >= fresh { return database }
        return try await store.write { store in
            let database = try store.makeDatabase(context.database)
            _ = try store.watch(type.id, in: database, at: context.now)
            return database
        }
    }
}
