extension CKDatabase {
    /// Fetches a zone; see ``recordZone(for:)``.
    @preconcurrency
    public func fetch(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await recordZone(for: zoneID) }
    }

    /// Fetches zones by their IDs; see ``recordZones(for:)``.
    @preconcurrency
    public func fetch(
        withRecordZoneIDs zoneIDs: [CKRecordZone.ID],
        completionHandler:
            @escaping @Sendable (
                Result<[CKRecordZone.ID: Result<CKRecordZone, any Error>], any Error>
            ) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await recordZones(for: zoneIDs) }
    }

    /// Fetches all zones of the database; see ``allRecordZones()``.
    @preconcurrency
    public func fetchAllRecordZones(
        completionHandler: @escaping @Sendable ([CKRecordZone]?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await allRecordZones() }
    }

    /// Saves a zone. Saving one that is there succeeds.
    @preconcurrency
    public func save(
        _ zone: CKRecordZone, completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] () -> CKRecordZone in try await save(zone) }
    }

    /// Deletes a zone with all its records.
    @preconcurrency
    public func delete(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone.ID?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await deleteRecordZone(withID: zoneID) }
    }

    /// Saves and deletes zones; see ``modifyRecordZones(saving:deleting:)``.
    @preconcurrency
    public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID],
        completionHandler: @escaping @Sendable (Result<ModifyZoneResults, any Error>) -> Void
    ) {
        Handler(completionHandler).run { [self] in
            try await modifyRecordZones(saving: recordZonesToSave, deleting: recordZoneIDsToDelete)
        }
    }
}
