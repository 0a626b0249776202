import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// `records/query`: one page of a query, and the marker of the next.
    func query(_ request: RecordsQueryRequest, _ context: CallContext) async throws -> ServiceOutput {
        let limit = try Self.limit(request.resultsLimit)
        let plan = try QueryPlan(request, schema: store.schema(of: context.tenant), context)
        let secret = secret
        let identity = plan.identity
        let after = try request.continuationMarker.map { marker in
            try ContinuationMarker.read(marker, for: identity, secret: secret)
        }
        let effort = store.effort(of: plan.shape(after: after, limit: limit))
        return try await store(for: context).readAnswer(effort, for: context.party) { reader in
            if context.scope == .shared || plan.type.name == RecordInput.shareType {
                return try SharedQuery(plan, context, reader, secret).page(after: after, limit: limit)
            }
            let zones = try plan.zones(context, reader)
            let scan = plan.scan(zones: zones.map(\.id), after: after, limit: limit)
            var page = QueryPage(
                request, suffixes: zones.map { ($0.id, context.zoneSuffix($0.name)) }, limit: limit,
                assetURL: plan.assetURL(context, secret))
            let outcome: ScanOutcome
            do {
                outcome =
                    try zones.isEmpty
                    ? ScanOutcome(next: nil, plan: .index) : reader.scan(scan) { try page.add($0) }
            } catch let error as StorageError where error.isUnknownCursor {
                throw ContinuationMarker.unknown
            }
            let markers = QueryPage.Markers(scan, outcome, isAsked: request.backward != nil)
            return page.output(outcome.plan) { writer in
                writer.currentSyncToken(of: plan.isZoneWide ? nil : zones.first, context, secret: secret)
                for case (let name, let place?) in [
                    ("continuationMarker", markers.next), ("previousMarker", markers.previous),
                ] as [(StaticString, ScanCursor?)] {
                    writer.member(name, ContinuationMarker.make(place, for: identity, secret: secret))
                }
            }
        }
    }

    /// `records/count`: how many records a query would find; our extension.
    func count(_ request: RecordsQueryRequest, _ context: CallContext) async throws -> ServiceOutput {
        let plan = try QueryPlan(request, schema: store.schema(of: context.tenant), context)
        let secret = secret
        return try await store(for: context).readAnswer(.long, for: context.party) { reader in
            if context.scope == .shared {
                return try SharedQuery(plan, context, reader, secret).count()
            }
            let zones = try plan.zones(context, reader)
            let scan = plan.scan(zones: zones.map(\.id), after: nil, limit: 0)
            let count = try zones.isEmpty ? 0 : reader.count(scan)
            return ServiceOutput { writer in
                writer.beginObject()
                writer.member("count", count)
                writer.endObject()
            }
        }
    }
}

/// A query whose words are understood.
struct QueryPlan: Sendable {
    let type: RecordType
    let condition: Condition
    let sort: [SortKey]
    let request: RecordsQueryRequest
    private let database: DatabaseID
    private let mayMakeIndex: Bool

    /// - Throws: `NOT_FOUND` for an unknown type, `BAD_REQUEST` for what cannot be asked; in production with all
    ///   fields and indexes that the query needs and the schema lacks.
    init(_ request: RecordsQueryRequest, schema: Schema, _ context: CallContext) throws(ServiceError) {
        do {
            try self.init(planning: request, schema: schema, context)
        } catch {
            guard let type = schema.types[request.query.recordType] else { throw error }
            let fields = FieldResolver(type: type, tenant: context.tenant, rules: context.indexRules)
            throw QueryGaps(fields: fields).completing(error, for: request.query)
        }
    }

    private init(
        planning request: RecordsQueryRequest, schema: Schema, _ context: CallContext
    ) throws(ServiceError) {
        let query = request.query
        if query.recordType == UserRecords.typeName {
            // An operator may look: the console lists what is stored.
            guard case .administrator = context.caller else {
                throw ServiceError(
                    .badRequest, "Can't query system types",
                    remedy: "Look a user's record up by name; users/caller gives the caller's.")
            }
        }
        guard let type = schema.types[query.recordType] else {
            var error = ServiceError(
                .notFound, "did not find required record type",
                remedy: context.tenant.environment == .production
                    ? "Deploy it from development: stratus schema deploy --container \(context.tenant.container)"
                    : "'\(query.recordType.prefix(64))' is created when its first record is saved.")
            if context.tenant.environment == .production { error.gaps = [.type(query.recordType)] }
            throw error
        }
        guard query.filterBy.count <= Limits.filtersPerQuery else {
            throw .tooMany(
                "filters", query.filterBy.count, exceeding: "filtersPerQuery", Limits.filtersPerQuery)
        }
        guard query.sortBy.count <= Limits.sortsPerQuery else {
            throw .tooMany("sort keys", query.sortBy.count, exceeding: "sortsPerQuery", Limits.sortsPerQuery)
        }
        // Which records are shared, the rows themselves tell.
        let reach = context.scope == .shared ? .all : context.rights.reach(of: .read, in: type)
        guard reach != .none else { throw context.rights.refusal(.read, of: type) }
        self.type = type
        self.request = request
        database = context.database
        let fields = FieldResolver(type: type, tenant: context.tenant, rules: context.indexRules)
        if query.filterBy.isEmpty, query.predicate == nil { try fields.checkWholeType() }
        var conditions: [Condition] = []
        for filter in query.filterBy {
            conditions.append(try FilterPlanner(fields: fields).condition(filter))
        }
        if let predicate = query.predicate {
            conditions.append(try PredicatePlanner(fields: fields).condition(predicate))
        }
        let asked = Self.all(conditions)
        var sort: [SortKey] = []
        for key in query.sortBy { sort.append(try Self.sortKey(key, fields)) }
        self.sort = sort.isEmpty ? Self.impliedSort(asked) : sort
        mayMakeIndex = IndexPermission(context).mayMakeIndex(asked, self.sort, of: type)
        // What a caller may not read is no row of the scan, so pages stay full and counts true. The schema asks for this
        // condition, so an index for it needs no declaration.
        if case .own(let name) = reach {
            condition = Self.all([.compare(.createdBy, .equal, .text(name))] + conditions)
        } else {
            condition = asked
        }
    }

    private static func all(_ conditions: [Condition]) -> Condition {
        conditions.isEmpty ? .constant(true) : conditions.count == 1 ? conditions[0] : .and(conditions)
    }

    private static func sortKey(_ sort: SortDictionary, _ fields: FieldResolver) throws(ServiceError)
        -> SortKey
    {
        if let place = sort.relativeLocation {
            guard case .field(let name) = sort.selector else {
                throw ServiceError(.badRequest, "A sort by distance needs a location field.")
            }
            let field = try fields.queryable(name)
            guard field.type == FieldType(.location) else {
                throw ServiceError(.badRequest, "Field '\(field.name)' is not a location.")
            }
            // What has no place comes last in either direction.
            return SortKey(
                sort.ascending ? .nearness(field, to: place) : .distance(field, from: place),
                ascending: sort.ascending)
        }
        switch fields.resolving(sort.selector) {
        case .system(let field):
            try fields.check(field, for: .sort)
            guard let column = fields.system(field)?.column else {
                throw ServiceError(
                    .badRequest, "Field '___share' is not marked sortable",
                    remedy: "A reference has no order.")
            }
            return SortKey(.column(column), ascending: sort.ascending)
        case .field(let name):
            return SortKey(.column(.field(try fields.sortable(name))), ascending: sort.ascending)
        case .allText: throw ServiceError(.badRequest, "'fieldName' is missing.")
        }
    }

    /// Without an order asked for, a range is best answered in its own order, which an index can walk.
    private static func impliedSort(_ condition: Condition) -> [SortKey] {
        let parts: [Condition]
        if case .and(let conditions) = condition { parts = conditions } else { parts = [condition] }
        for case .compare(let column, let comparison, _) in parts
        where comparison != .equal && comparison != .notEqual {
            return [SortKey(.column(column), ascending: true)]
        }
        for case .prefix(let column, _) in parts { return [SortKey(.column(column), ascending: true)] }
        return []
    }

    /// Whether the query looks through all zones of the database.
    var isZoneWide: Bool { request.zoneID == nil && request.zoneWide }

    /// The zones that the query looks through.
    func zones(_ context: CallContext, _ reader: any StoreReader) throws -> [ZoneRow] {
        if isZoneWide {
            guard let database = try reader.database(context.database) else { return [] }
            return try reader.zones(in: database)
        }
        return try Zones.find(request.zoneID ?? .default, context, reader, isWhole: true).map { [$0] } ?? []
    }

    /// A scan of the same shape, to be priced before the zones are known.
    func shape(after: ScanCursor?, limit: Int) -> RecordScan { scan(zones: [], after: after, limit: limit) }

    /// The address of a file in an answer; nil for a type that has none.
    func assetURL(_ context: CallContext, _ secret: ServiceSecret) -> (@Sendable (String) -> String?)? {
        guard type.hasAssets else { return nil }
        return context.assetURLs(
            secret, areForEverybody: context.scope == .public && type.isReadableByEverybody)
    }

    func scan(zones: [Int64], after: ScanCursor?, limit: Int) -> RecordScan {
        RecordScan(
            type: type, zones: zones, condition: condition, sort: sort, after: after, limit: limit,
            isBackward: request.backward ?? false, mayMakeIndex: mayMakeIndex, isOfOneZone: !isZoneWide)
    }

    /// What makes a marker one of this query: the database, the zone, and the query itself.
    var identity: [UInt8] {
        var identical = RecordsQueryRequest(query: request.query)
        identical.zoneID = request.zoneID ?? .default
        identical.zoneWide = isZoneWide
        return Array("\(database.tenant)/\(database.owner ?? "")/".utf8) + identical.encoded()
    }
}
