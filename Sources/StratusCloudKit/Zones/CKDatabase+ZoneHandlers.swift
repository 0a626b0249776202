extension CKDatabase {
    /// Fetches a zone; see ``recordZone(for:)``.
    public func fetch(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping (CKRecordZone?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await recordZone(for: zoneID) }
    }

    /// Fetches zones by their IDs; see ``recordZones(for:)``.
    public func fetch(
        withRecordZoneIDs zoneIDs: [CKRecordZone.ID],
        completionHandler:
            @escaping (
                Result<[CKRecordZone.ID: Result<CKRecordZone, any Error>], any Error>
            ) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await recordZones(for: zoneIDs) }
    }

    /// Fetches all zones of the database; see ``allRecordZones()``.
    public func fetchAllRecordZones(
        completionHandler: @escaping ([CKRecordZone]?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await allRecordZones() }
    }

    /// Saves a zone. Saving one that is there succeeds.
    public func save(
        _ zone: CKRecordZone, completionHandler: @escaping (CKRecordZone?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] () -> CKRecordZone in try await save(zone) }
    }

    /// Deletes a zone with all its records.
    public func delete(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping (CKRecordZone.ID?, (any Error)?) -> Void
    ) {
        Handler(completionHandler).run { [self] in try await deleteRecordZone(withID: zoneID) }
    }

    /// Saves and deletes zones; see ``modifyRecordZones(saving:deleting:)``.
    public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID],
        completionHandler: @escaping (Result<ModifyZoneResults, any Error>) -> Void
    ) {
        Handler(completionHandler).run { [self] in
            try await modifyRecordZones(saving: recordZonesToSave, deleting: recordZoneIDsToDelete)
        }
    }
}
