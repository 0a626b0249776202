internal import RecordModel
internal import RecordWire

/// A query under way: what to ask for next.
struct QueryWalk: Sendable {
    var request: RecordsQueryRequest
    /// The zone as the app named it; nil for the default zone.
    let zoneID: CKRecordZoneID?
    /// How many records are still wanted; nil for one page as large as the service likes.
    private(set) var remaining: Int?

    /// Prepares a query's first page.
    ///
    /// - Throws: `CKError`: `invalidArguments` where the shared database is asked without a zone, or where no service can
    ///   answer the query; `limitExceeded` for a predicate that is too long.
    init(
        _ query: CKQuery, in zoneID: CKRecordZoneID?, desiredKeys: [CKRecord.FieldKey]?, limit: Int,
        of database: CKDatabase
    ) throws(CKError) {
        guard zoneID != nil || database.databaseScope != .shared else {
            throw CKError(
                .invalidArguments, "A query of the shared database has to name a zone.",
                remedy: "Ask for the zones with allRecordZones(), and query each of them.")
        }
        request = RecordsQueryRequest(
            query: try QueryTranslation(isStrict: database.isStrict).translate(query))
        request.zoneID = zoneID?.named(in: database.databaseScope)
        self.zoneID = zoneID
        set(desiredKeys, limit)
    }

    /// Prepares the page that a cursor points at.
    init(_ cursor: CKQueryCursor, desiredKeys: [CKRecord.FieldKey]?, limit: Int) {
        request = cursor.request
        zoneID = cursor.zoneID
        set(desiredKeys, limit)
    }

    private mutating func set(_ desiredKeys: [CKRecord.FieldKey]?, _ limit: Int) {
        request.desiredKeys = desiredKeys
        remaining = limit > 0 ? limit : nil
        request.resultsLimit = remaining.map { min($0, Limits.recordsPerAnswer) }
    }

    /// Notes the answer to the request; true where another page is wanted now.
    mutating func advance(past page: RecordsQueryResponse) -> Bool {
        request.continuationMarker = page.continuationMarker
        guard page.continuationMarker != nil, let left = remaining else { return false }
        remaining = left - page.records.count
        request.resultsLimit = min(left - page.records.count, Limits.recordsPerAnswer)
        return left > page.records.count
    }

    /// Where the walk can go on later; nil at the end.
    var cursor: CKQueryCursor? {
        guard request.continuationMarker != nil else { return nil }
        var rest = RecordsQueryRequest(query: request.query)
        rest.zoneID = request.zoneID
        rest.zoneWide = request.zoneWide
        rest.continuationMarker = request.continuationMarker
        return CKQueryCursor(request: rest, zoneID: zoneID)
    }
}

extension CKDatabase {
    /// One record of a result, or why it is not there.
    typealias MatchResult = (CKRecord.ID, Result<CKRecord, any Error>)

    /// Fetches pages until the limit of the walk is reached or nothing is left, with the files of their records.
    ///
    /// - Parameter onMatch: called for each record in the order of the query, one at a time.
    /// - Returns: where to go on; nil at the end.
    func run(
        _ start: QueryWalk, options: ServiceClient.Options, onMatch: (MatchResult) -> Void
    ) async throws(CKError) -> CKQueryCursor? {
        var walk = start
        var wantsMore = true
        while wantsMore {
            let page: RecordsQueryResponse = try await post(.recordsQuery, walk.request, options: options)
            let matches = page.records.map { match($0, zoneID: walk.zoneID) }
            try await deliver(matches, options: options, onMatch: onMatch)
            wantsMore = walk.advance(past: page)
        }
        return walk.cursor
    }

    /// FairQueue an element of an answer into what an app sees.
    func match(_ item: ItemResult<RecordDictionary>, zoneID: CKRecordZoneID?) -> MatchResult {
        switch item {
        case .success(let wire):
            let record = CKRecord.from(wire, zoneID: zoneID, in: self)
            return (record.recordID, .success(record))
        case .failure(let error):
            let zone =
                zoneID ?? error.zoneID.map { CKRecordZoneID.from($0, scope: databaseScope) } ?? .default
            return (
                CKRecord.ID(recordName: error.recordName ?? "", zoneID: zone), .failure(CKError(error))
            )
        }
    }
}
