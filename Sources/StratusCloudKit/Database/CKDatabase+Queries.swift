internal import RecordWire

extension CKDatabase {
    /// Fetches records that match a query.
    ///
    /// - Parameters:
    ///   - query: what the records have to match, and their order.
    ///   - zoneID: the zone; nil stands for the default zone, and is refused in the shared database.
    ///   - desiredKeys: the fields wanted; nil for all.
    ///   - resultsLimit: the most records wanted. `CKQueryOperation.maximumResults` lets the service choose a
    ///     page; a larger number than the service gives at once is fetched in several requests.
    /// - Returns: the records in the order of the query, and where to go on; nil at the end.
    /// - Throws: `CKError`: `unknownItem` where the schema has no such record type; `invalidArguments` where no
    ///   service can answer the predicate or the order, or a field lacks the index for it; `limitExceeded` for a
    ///   predicate that is too long; `zoneNotFound` where the zone is not there; `permissionFailure` where the user
    ///   may not read the records, `notAuthenticated` where nobody is signed in and a user is needed; another code
    ///   when a request fails otherwise. A record whose file cannot be fetched is in the results with its error.
    public func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        try await collect(
            QueryWalk(query, in: zoneID, desiredKeys: desiredKeys, limit: resultsLimit, of: self))
    }

    /// Fetches the records that follow a page.
    ///
    /// - Throws: `CKError`: `invalidArguments` for a cursor of another database or service; `unknownItem` or
    ///   `zoneNotFound` where the record type or the zone is gone; `permissionFailure` or `notAuthenticated` where
    ///   the records may not be read any more; another code when a request fails otherwise.
    public func records(
        continuingMatchFrom queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        try await collect(QueryWalk(queryCursor, desiredKeys: desiredKeys, limit: resultsLimit))
    }

    /// Fetches all records that match a query, however many requests that takes.
    ///
    /// - Throws: `CKError`, also when a single record could not be had.
    @_disfavoredOverload
    public func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?
    ) async throws -> [CKRecord] {
        var records: [CKRecord] = []
        for try await record in recordSequence(matching: query, inZoneWith: zoneID) { records.append(record) }
        return records
    }

    /// Counts the records that match a query, without fetching them; an extension of this service.
    ///
    /// - Throws: `CKError` as ``records(matching:inZoneWith:desiredKeys:resultsLimit:)`` throws it;
    ///   `serviceUnavailable` where counting takes the service too long.
    public func count(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil
    ) async throws -> Int {
        let walk = try QueryWalk(query, in: zoneID, desiredKeys: nil, limit: 0, of: self)
        let answer: CountResponse = try await post(.recordsCount, walk.request, options: options)
        return answer.count
    }

    /// Fetches records that match a query; see ``records(matching:inZoneWith:desiredKeys:resultsLimit:)``.
    @preconcurrency
    public func fetch(
        withQuery query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int = CKQueryOperation.maximumResults,
        completionHandler: @escaping @Sendable (Result<QueryResults, any Error>) -> Void
    ) {
        Handler(completionHandler).run { [self, query = query.ownCopy] in
            let page = try await records(
                matching: query, inZoneWith: zoneID, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
            return QueryResults(page)
        }
    }

    /// Fetches the records that follow a page; see
    /// ``records(continuingMatchFrom:desiredKeys:resultsLimit:)``.
    @preconcurrency
    public func fetch(
        withCursor queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults,
        completionHandler: @escaping @Sendable (Result<QueryResults, any Error>) -> Void
    ) {
        Handler(completionHandler).run { [self] in
            let page = try await records(
                continuingMatchFrom: queryCursor, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
            return QueryResults(page)
        }
    }

    /// Fetches all records that match a query, however many requests that takes.
    ///
    /// For more than a few, use `CKQueryOperation` or ``recordSequence(matching:inZoneWith:desiredKeys:pageSize:)``.
    @preconcurrency
    public func perform(
        _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?,
        completionHandler: @escaping @Sendable ([CKRecord]?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self, query = query.ownCopy] () -> [CKRecord] in
            try await records(matching: query, inZoneWith: zoneID)
        }
    }

    /// The records of a page, and where to go on.
    public typealias QueryResults = (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    )

    private func collect(_ walk: QueryWalk) async throws(CKError) -> QueryResults {
        var matches: [MatchResult] = []
        let cursor = try await run(walk, options: options) { matches.append($0) }
        return (matches, cursor)
    }
}
