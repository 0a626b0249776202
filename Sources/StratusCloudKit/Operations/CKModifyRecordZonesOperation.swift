/// Saves and deletes zones. Saving one that is there succeeds; deleting one deletes its records.
///
/// The blocks for single zones come first, one at a time, the result blocks last and exactly once.
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKModifyRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The zones to save.
    open var recordZonesToSave: [CKRecordZone]?
    /// The zones to delete.
    open var recordZoneIDsToDelete: [CKRecordZone.ID]?

    /// Called with what became of each zone to save.
    open var perRecordZoneSaveBlock:
        ((_ recordZoneID: CKRecordZone.ID, _ saveResult: Result<CKRecordZone, any Error>) -> Void)?
    /// Called with what became of each zone to delete.
    open var perRecordZoneDeleteBlock:
        ((_ recordZoneID: CKRecordZone.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
    /// Called once at the end; a failure here means that a request failed as a whole.
    open var modifyRecordZonesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called once at the end; failures of single zones come as `CKError.partialFailure`.
    open var modifyRecordZonesCompletionBlock: (([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?

    /// Makes an operation without zones, to be set before it is added.
    override public init() {}

    /// Makes an operation for zones to save and to delete.
    public convenience init(
        recordZonesToSave: [CKRecordZone]? = nil, recordZoneIDsToDelete: [CKRecordZone.ID]? = nil
    ) {
        self.init()
        self.recordZonesToSave = recordZonesToSave
        self.recordZoneIDsToDelete = recordZoneIDsToDelete
    }

    override func work() async {
        var saved: [CKRecordZone] = []
        var deleted: [CKRecordZone.ID] = []
        var errors: [AnyHashable: any Error] = [:]
        do throws(CKError) {
            try await target.run(
                saveZones: recordZonesToSave ?? [], deleteZones: recordZoneIDsToDelete ?? [],
                options: requestOptions
            ) { outcome in
                switch outcome {
                case .fetched: break
                case .saved(let zoneID, let result):
                    switch result {
                    case .success(let zone): saved.append(zone)
                    case .failure(let error): errors[zoneID] = error
                    }
                    perRecordZoneSaveBlock?(zoneID, result)
                case .deleted(let zoneID, let result):
                    switch result {
                    case .success: deleted.append(zoneID)
                    case .failure(let error): errors[zoneID] = error
                    }
                    perRecordZoneDeleteBlock?(zoneID, result)
                }
            }
            modifyRecordZonesResultBlock?(.success(()))
            modifyRecordZonesCompletionBlock?(
                saved, deleted, errors.isEmpty ? nil : CKError.partialFailure(errors))
        } catch {
            modifyRecordZonesResultBlock?(.failure(error))
            modifyRecordZonesCompletionBlock?(saved, deleted, error)
        }
    }
}
