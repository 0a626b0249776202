/// What became of zones that a sync engine sent.
struct ZoneOutcomes {
    private var saved: [CKRecordZone] = []
    private var deleted: [CKRecordZone.ID] = []
    private(set) var errors: [CKRecordZone.ID: CKError] = [:]
    private var failedSaves: [CKSyncEngine.Event.SentDatabaseChanges.FailedZoneSave] = []
    private var failedDeletes: [CKRecordZone.ID: CKError] = [:]
    private var seen: Set<CKRecordZone.ID> = []

    mutating func note(_ outcome: CKDatabase.ZoneOutcome) {
        switch outcome {
        case .fetched: return
        case .saved(let zoneID, let result):
            seen.insert(zoneID)
            switch result {
            case .success(let zone): saved.append(zone)
            case .failure(let error): fail(CKRecordZone(zoneID: zoneID), CKError(any: error))
            }
        case .deleted(let zoneID, let result):
            seen.insert(zoneID)
            switch result {
            case .success: deleted.append(zoneID)
            case .failure(let error): fail(deleting: zoneID, CKError(any: error))
            }
        }
    }

    /// Gives the zones that no answer mentions the error of the request.
    mutating func noteRest(of changes: [CKSyncEngine.PendingDatabaseChange], _ failure: CKError?) {
        let error = failure ?? CKError(.internalError, "The service's answer leaves out the zone.")
        for change in changes where !seen.contains(change.zoneID) {
            switch change {
            case .saveZone(let zone): fail(zone, error)
            case .deleteZone(let zoneID): fail(deleting: zoneID, error)
            }
        }
    }

    var event: CKSyncEngine.Event.SentDatabaseChanges {
        .init(
            savedZones: saved, failedZoneSaves: failedSaves, deletedZoneIDs: deleted,
            failedZoneDeletes: failedDeletes)
    }

    private mutating func fail(_ zone: CKRecordZone, _ error: CKError) {
        errors[zone.zoneID] = error
        failedSaves.append(.init(zone: zone, error: error))
    }

    private mutating func fail(deleting zoneID: CKRecordZone.ID, _ error: CKError) {
        // A zone that is gone already is what was wanted.
        if error.code == .zoneNotFound {
            deleted.append(zoneID)
            return
        }
        errors[zoneID] = error
        failedDeletes[zoneID] = error
    }
}

/// What became of records that a sync engine sent.
struct RecordOutcomes {
    private var saved: [CKRecord] = []
    private var deleted: [CKRecord.ID] = []
    private(set) var errors: [CKRecord.ID: CKError] = [:]
    private var failedSaves: [CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave] = []
    private var failedDeletes: [CKRecord.ID: CKError] = [:]
    private var seen: Set<CKRecord.ID> = []

    mutating func note(_ outcome: CKDatabase.ModifyOutcome) {
        switch outcome {
        case .saved(let record, let result):
            seen.insert(record.recordID)
            switch result {
            case .success(let record): saved.append(record)
            case .failure(let error): fail(record, CKError(any: error))
            }
        case .deleted(let recordID, let result):
            seen.insert(recordID)
            switch result {
            case .success: deleted.append(recordID)
            case .failure(let error): fail(deleting: recordID, CKError(any: error))
            }
        }
    }

    /// Gives the records that no answer mentions the error of the request.
    mutating func noteRest(of batch: CKSyncEngine.RecordZoneChangeBatch, _ failure: CKError?) {
        let error = failure ?? CKError(.internalError, "The service's answer leaves out the record.")
        for record in batch.recordsToSave where !seen.contains(record.recordID) { fail(record, error) }
        for recordID in batch.recordIDsToDelete where !seen.contains(recordID) {
            fail(deleting: recordID, error)
        }
    }

    var event: CKSyncEngine.Event.SentRecordZoneChanges {
        .init(
            savedRecords: saved, failedRecordSaves: failedSaves, deletedRecordIDs: deleted,
            failedRecordDeletes: failedDeletes)
    }

    private mutating func fail(_ record: CKRecord, _ error: CKError) {
        errors[record.recordID] = error
        failedSaves.append(.init(record: record, error: error))
    }

    private mutating func fail(deleting recordID: CKRecord.ID, _ error: CKError) {
        errors[recordID] = error
        failedDeletes[recordID] = error
    }
}

extension CKError {
    /// Whether a sync engine keeps what failed so, to send it again: the codes that CKSyncEngine's documentation
    /// says it deals with itself, a cancellation, and an answer that was lost.
    var passesByItself: Bool {
        switch code {
        case .notAuthenticated, .accountTemporarilyUnavailable, .networkFailure, .networkUnavailable,
            .requestRateLimited, .serviceUnavailable, .zoneBusy, .operationCancelled, .serverResponseLost:
            true
        default: false
        }
    }
}
