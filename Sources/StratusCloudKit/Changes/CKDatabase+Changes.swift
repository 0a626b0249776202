internal import RecordWire

extension CKDatabase {
    /// Fetches which zones of the database changed.
    ///
    /// - Parameters:
    ///   - changeToken: what the answer before gave; nil from the beginning.
    ///   - resultsLimit: the most zones wanted; nil lets the service choose.
    /// - Throws: `CKError`; `changeTokenExpired` where the token cannot be used any more.
    public func databaseChanges(
        since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil
    ) async throws -> (
        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
        changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        try await databaseChangesPage(since: changeToken, limit: resultsLimit, options: options)
    }

    /// Fetches which zones of the database changed; see ``databaseChanges(since:resultsLimit:)``.
    @preconcurrency
    public func fetchDatabaseChanges(
        since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil,
        completionHandler: @escaping @Sendable (Result<DatabaseChanges, any Error>) -> Void
    ) {
        Handler(completionHandler).run { [self] in
            try await databaseChanges(since: changeToken, resultsLimit: resultsLimit)
        }
    }

    /// Fetches which records of a zone changed.
    ///
    /// - Parameters:
    ///   - zoneID: the zone.
    ///   - changeToken: what the answer before gave; nil from the beginning.
    ///   - desiredKeys: the fields wanted; nil for all.
    ///   - resultsLimit: the most records wanted; nil lets the service choose.
    /// - Throws: `CKError`; `changeTokenExpired` where the token cannot be used any more, `zoneNotFound`
    ///   where the zone is not there.
    public func recordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
    ) async throws -> (
        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let wish = ZoneChangesRequest(
            zoneID: zoneID.wire, syncToken: changeToken?.text, desiredKeys: desiredKeys,
            resultsLimit: resultsLimit.flatMap { $0 > 0 ? $0 : nil })
        let pages = try await zoneChangesPages([(zoneID, wish)], options: options)
        guard let page = pages.first else {
            throw CKError(.internalError, "The service's answer leaves out the zone.")
        }
        let fetched = try page.result.get()
        var changes: RecordZoneChanges = ([:], [], fetched.token, fetched.moreComing)
        for event in fetched.events {
            switch event {
            case .changed(let recordID, let result):
                changes.modificationResultsByID[recordID] = result.map { .init(record: $0) }
            case .deleted(let recordID, let type):
                changes.deletions.append(.init(recordID: recordID, recordType: type))
            }
        }
        return changes
    }

    /// Fetches which records of a zone changed; see
    /// ``recordZoneChanges(inZoneWith:since:desiredKeys:resultsLimit:)``.
    @preconcurrency
    public func fetchRecordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil,
        completionHandler: @escaping @Sendable (Result<RecordZoneChanges, any Error>) -> Void
    ) {
        Handler(completionHandler).run { [self] in
            try await recordZoneChanges(
                inZoneWith: zoneID, since: changeToken, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        }
    }
}
