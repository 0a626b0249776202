public import RecordModel
public import RecordStorage
public import RecordWire

/// How the store would find the rows of a query.
public struct QueryExplanation: Hashable, Sendable {
    /// Whether an index gives the rows in their order.
    public var plan: ScanPlan
    /// The columns of the index that is used, by the names of fields; empty where there is none.
    public var index: [String]
    /// The columns of an index that would help and is not there; empty where none would.
    public var missing: [String]
    /// Whether the missing index is being made.
    public var isBeingMade: Bool
}

/// What operators ask and do about a query's speed.
extension RecordService {
    /// Tells how a query would be answered, without running it.
    ///
    /// - Parameters:
    ///   - request: the query.
    ///   - tenant: where it would run.
    ///   - owner: whose private database is meant; nil for the public one.
    /// - Throws: `BAD_REQUEST` and `NOT_FOUND` as the query itself.
    public func explain(
        _ request: RecordsQueryRequest, tenant: Tenant, owner: String? = nil
    ) throws -> QueryExplanation {
        QueryExplanation(store.explain(try scan(of: request, tenant, owner)))
    }

    /// Has the index made that would serve a query. A small one is there when this returns; a large one is made
    /// beside other writes, and the answer says that it is being made.
    ///
    /// Where the type has as many automatic indexes as it may have, the one used longest ago goes.
    /// - Returns: how the query is answered now.
    /// - Throws: `BAD_REQUEST` where no index would help.
    public func makeIndex(
        for request: RecordsQueryRequest, tenant: Tenant, owner: String? = nil
    ) async throws -> QueryExplanation {
        let scan = try scan(of: request, tenant, owner)
        let before = store.explain(scan)
        guard before.plan == .scan, before.index.isEmpty else { return QueryExplanation(before) }
        guard !before.missing.isEmpty else {
            throw ServiceError(
                .badRequest, "No index can serve this query.",
                remedy: "Ask for equality, ranges and prefixes, and sort by fields.")
        }
        try await store.makeIndex(for: scan)
        return QueryExplanation(store.explain(scan))
    }

    private func scan(
        of request: RecordsQueryRequest, _ tenant: Tenant, _ owner: String?
    ) throws(ServiceError) -> RecordScan {
        let context = CallContext(
            tenant: tenant, database: DatabaseID(tenant: tenant, owner: owner),
            caller: .administrator(""), now: 0, requestID: "", baseURL: "")
        let plan = try QueryPlan(request, schema: store.schema(of: tenant), context)
        return plan.scan(zones: plan.isZoneWide ? [0, 1] : [0], after: nil, limit: Limits.recordsPerAnswer)
    }
}

extension QueryExplanation {
    fileprivate init(_ explanation: ScanExplanation) {
        plan = explanation.plan
        index = explanation.index.map(\.text)
        missing = explanation.missing.map(\.text)
        isBeingMade = explanation.isBeingMade
    }
}

extension SortKey {
    fileprivate var text: String {
        guard case .column(let column) = source else { return "" }
        return column.fieldName + (ascending ? "" : " descending")
    }
}

extension Column {
    /// The name of the field that the column belongs to, as predicates write it.
    fileprivate var fieldName: String {
        switch self {
        case .field(let field): field.name
        case .latitude(let field): field.name + ".latitude"
        case .longitude(let field): field.name + ".longitude"
        case .recordName: SystemField.recordName.rawValue
        case .createdAt: SystemField.createdTimestamp.rawValue
        case .modifiedAt: SystemField.modifiedTimestamp.rawValue
        case .createdBy: SystemField.createdUserRecordName.rawValue
        case .modifiedBy: SystemField.modifiedUserRecordName.rawValue
        case .parent: SystemField.parent.rawValue
        }
    }
}
