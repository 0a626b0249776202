extension CKDatabase {
    /// Fetches a record.
    ///
    /// - Throws: `CKError`; `unknownItem` where there is no such record.
    public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
        let results = try await records(for: [recordID])
        guard let result = results[recordID] else {
            throw CKError(.unknownItem, "There is no record '\(recordID.recordName)'.")
        }
        return try result.get()
    }

    /// Fetches records by their IDs; more than one request takes are fetched in several.
    ///
    /// - Parameters:
    ///   - ids: the records wanted.
    ///   - desiredKeys: the fields wanted; nil for all.
    /// - Throws: `CKError` when a request failed as a whole. Failures of single records are in the result.
    public func records(
        for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
    ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        var results: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
        try await run(lookup: ids, desiredKeys: desiredKeys, options: options) { results[$0.0] = $0.1 }
        return results
    }

    /// Fetches a record; see ``record(for:)``.
    @preconcurrency
    public func fetch(
        withRecordID recordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await record(for: recordID) }
    }

    /// Fetches records by their IDs; see ``records(for:desiredKeys:)``.
    @preconcurrency
    public func fetch(
        withRecordIDs recordIDs: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil,
        completionHandler:
            @escaping @Sendable (Result<[CKRecord.ID: Result<CKRecord, any Error>], any Error>) -> Void
    ) {
        Handler(completionHandler).run { [self] in
            try await records(for: recordIDs, desiredKeys: desiredKeys)
        }
    }
}
