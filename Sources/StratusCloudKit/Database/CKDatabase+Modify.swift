extension CKDatabase {
    /// What became of records that were saved and deleted, by their IDs.
    public typealias ModifyResults = (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
        deleteResults: [CKRecord.ID: Result<Void, any Error>]
    )

    /// Saves and deletes records; see ``CKModifyRecordsOperation``.
    ///
    /// In a custom zone `atomically` saves and deletes all or nothing, and what keeps it from that is thrown. The default
    /// zone knows no atomic changes, so there each record succeeds or fails by itself and the results say which. Both as
    /// Apple documents it
    /// (https://developer.apple.com/documentation/cloudkit/ckdatabase/modifyrecords(saving:deleting:savepolicy:atomically:)).
    /// - Throws: `CKError`: `partialFailure` when an atomic batch failed, with the error of each record that was not saved
    ///   or deleted; another code when a request failed as a whole. Other failures of single records are in the results.
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
        let (results, failures) = try await results(of: plan)
        if let failure = failures.ofAtomicBatches(plan) { throw failure }
        return results
    }

    private func results(of plan: ModifyPlan) async throws(CKError) -> (ModifyResults, ModifyFailures) {
        var results: ModifyResults = ([:], [:])
        var failures = ModifyFailures()
        try await run(plan, options: options) { outcome in
            failures.note(outcome)
            switch outcome {
            case .saved(let record, let result): results.saveResults[record.recordID] = result
            case .deleted(let recordID, let result): results.deleteResults[recordID] = result
            }
        }
        return (results, failures)
    }

    /// One record is a batch of its own: its error is thrown as it is.
    private func modifyOne(
        saving records: [CKRecord], deleting recordIDs: [CKRecord.ID]
    ) async throws(CKError) -> ModifyResults {
        let plan = try ModifyPlan(
            saving: records, deleting: recordIDs, policy: .ifServerRecordUnchanged, isAtomic: true, in: self)
        return try await results(of: plan).0
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
        let results = try await modifyOne(saving: [record], deleting: [])
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
    /// - Throws: `CKError`: `permissionFailure` for a record that the user may read and not change, and for the
    ///   record of a user; `referenceViolation` where a record that the user may change has it as its parent, or
    ///   refers to it with VALIDATE; `limitExceeded` where more would go with it than one request may delete;
    ///   `zoneNotFound` where its zone is not there; `notAuthenticated` where nobody is signed in and a user is
    ///   needed; `serverResponseLost` where nobody knows whether it was deleted; another code when the request fails
    ///   otherwise.
    @discardableResult
    public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
        let results = try await modifyOne(saving: [], deleting: [recordID])
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
