extension CKDatabase {
    /// What became of records that were saved and deleted, by their IDs.
    public typealias ModifyResults = (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
        deleteResults: [CKRecord.ID: Result<Void, any Error>]
    )

    /// Saves and deletes records; see ``CKModifyRecordsOperation``.
    ///
    /// - Throws: `CKError` when a request failed as a whole. Failures of single records are in the results.
    public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged,
        atomically: Bool = true
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
        deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ) {
        let plan = try ModifyPlan(
            saving: recordsToSave, deleting: recordIDsToDelete, policy: savePolicy, isAtomic: atomically,
            in: self)
        var results: ModifyResults = ([:], [:])
        try await run(plan, options: options) { outcome in
            switch outcome {
            case .saved(let record, let result): results.saveResults[record.recordID] = result
            case .deleted(let recordID, let result): results.deleteResults[recordID] = result
            }
        }
        return results
    }

    /// Saves and deletes records; see ``modifyRecords(saving:deleting:savePolicy:atomically:)``.
    @preconcurrency
    public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged,
        atomically: Bool = true,
        completionHandler: @escaping @Sendable (Result<ModifyResults, any Error>) -> Void
    ) {
        Handler(completionHandler).run { [self] in
            try await modifyRecords(
                saving: recordsToSave, deleting: recordIDsToDelete, savePolicy: savePolicy,
                atomically: atomically)
        }
    }

    /// Saves a record if the service has no newer version of it.
    ///
    /// - Returns: the same record, with its new version.
    /// - Throws: `CKError`; `serverRecordChanged` where the service has another version.
    @discardableResult
    public func save(_ record: CKRecord) async throws -> CKRecord {
        let results = try await modifyRecords(saving: [record], deleting: [])
        return try results.saveResults[record.recordID]?.get() ?? record
    }

    /// Saves a record if the service has no newer version of it.
    @preconcurrency
    public func save(
        _ record: CKRecord, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] () -> CKRecord in try await save(record) }
    }

    /// Deletes a record, whatever its version. Deleting one that is not there succeeds.
    ///
    /// - Throws: `CKError`.
    @discardableResult
    public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
        let results = try await modifyRecords(saving: [], deleting: [recordID])
        try results.deleteResults[recordID]?.get()
        return recordID
    }

    /// Deletes a record, whatever its version. Deleting one that is not there succeeds.
    @preconcurrency
    public func delete(
        withRecordID recordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await deleteRecord(withID: recordID) }
    }
}
