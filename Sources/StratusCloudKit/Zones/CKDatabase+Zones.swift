extension CKDatabase {
    /// Fetches a zone.
    ///
    /// - Throws: `CKError`; `zoneNotFound` where there is no such zone.
    public func recordZone(for recordZoneID: CKRecordZone.ID) async throws -> CKRecordZone {
        guard let result = try await recordZones(for: [recordZoneID])[recordZoneID] else {
            throw CKError(.zoneNotFound, "There is no zone '\(recordZoneID.zoneName)'.")
        }
        return try result.get()
    }

    /// Fetches zones by their IDs.
    ///
    /// - Throws: `CKError` when a request failed as a whole. Failures of single zones are in the result.
    public func recordZones(
        for ids: [CKRecordZone.ID]
    ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
        var results: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
        try await run(fetchZones: ids, options: options) { outcome in
            if case .fetched(let zoneID, let result) = outcome { results[zoneID] = result }
        }
        return results
    }

    /// Fetches all zones of the database, the default zone among them.
    ///
    /// In the shared database these are the zones of others of which something is shared with the user.
    ///
    /// - Throws: `CKError`: `notAuthenticated` where nobody is signed in, unless the database is the public one;
    ///   another code when the request fails otherwise.
    public func allRecordZones() async throws -> [CKRecordZone] {
        var zones: [CKRecordZone] = []
        try await run(fetchZones: nil, options: options) { outcome in
            if case .fetched(_, .success(let zone)) = outcome { zones.append(zone) }
        }
        return zones
    }

    /// What became of zones that were saved and deleted, by their IDs.
    public typealias ModifyZoneResults = (
        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    )

    /// Saves and deletes zones. Saving one that is there succeeds; deleting one deletes its records.
    ///
    /// - Throws: `CKError` when a request failed as a whole. Failures of single zones are in the results.
    public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID]
    ) async throws -> (
        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    ) {
        var results: ModifyZoneResults = ([:], [:])
        try await run(
            saveZones: recordZonesToSave, deleteZones: recordZoneIDsToDelete, options: options
        ) { outcome in
            switch outcome {
            case .saved(let zoneID, let result): results.saveResults[zoneID] = result
            case .deleted(let zoneID, let result): results.deleteResults[zoneID] = result
            case .fetched: break
            }
        }
        return results
    }

    /// Saves a custom zone. Saving one that is there succeeds.
    ///
    /// - Throws: `CKError`: `invalidArguments` for the default zone, for a name that no zone can have, and in the
    ///   public database; `badDatabase` in the shared database; `limitExceeded` where the database has as many zones as it may;
    ///   `zoneNotFound` for a zone of another owner; `notAuthenticated` where nobody is signed in;
    ///   `serverResponseLost` where nobody knows whether it was saved; another code when the request fails otherwise.
    @discardableResult
    public func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
        let results = try await modifyRecordZones(saving: [zone], deleting: [])
        return try results.saveResults[zone.zoneID]?.get() ?? zone
    }

    /// Deletes a zone with all its records.
    ///
    /// - Throws: `CKError`: `zoneNotFound` where there is no such zone; `invalidArguments` for the default zone, and
    ///   in the public database; `badDatabase` in the shared database; `notAuthenticated` where nobody is signed in; `serverResponseLost`
    ///   where nobody knows whether it was deleted; another code when the request fails otherwise.
    @discardableResult
    public func deleteRecordZone(withID zoneID: CKRecordZone.ID) async throws -> CKRecordZone.ID {
        let results = try await modifyRecordZones(saving: [], deleting: [zoneID])
        try results.deleteResults[zoneID]?.get()
        return zoneID
    }
}
