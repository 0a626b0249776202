/// Fetches zones by their IDs, or all zones of a database.
///
/// The blocks for single zones come first, one at a time, the result blocks last and exactly once.
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKFetchRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The zones to fetch; nil for all.
    open var recordZoneIDs: [CKRecordZone.ID]?

    /// Called with each zone, or with why it could not be had.
    open var perRecordZoneResultBlock:
        ((_ recordZoneID: CKRecordZone.ID, _ recordZoneResult: Result<CKRecordZone, any Error>) -> Void)?
    /// Called once at the end; a failure here means that a request failed as a whole.
    open var fetchRecordZonesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called once at the end; failures of single zones come as `CKError.partialFailure`.
    open var fetchRecordZonesCompletionBlock: (([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)?

    /// Makes an operation for all zones, unless IDs are set before it is added.
    override public init() {}

    /// Makes an operation for zones.
    public convenience init(recordZoneIDs: [CKRecordZone.ID]) {
        self.init()
        self.recordZoneIDs = recordZoneIDs
    }

    /// Makes an operation for all zones of a database.
    open class func fetchAllRecordZonesOperation() -> CKFetchRecordZonesOperation {
        CKFetchRecordZonesOperation()
    }

    override func work() async {
        var zones: [CKRecordZone.ID: CKRecordZone] = [:]
        var errors: [AnyHashable: any Error] = [:]
        do throws(CKError) {
            try await target.run(fetchZones: recordZoneIDs, options: requestOptions) { outcome in
                guard case .fetched(let zoneID, let result) = outcome else { return }
                switch result {
                case .success(let zone): zones[zoneID] = zone
                case .failure(let error): errors[zoneID] = error
                }
                perRecordZoneResultBlock?(zoneID, result)
            }
            fetchRecordZonesResultBlock?(.success(()))
            fetchRecordZonesCompletionBlock?(zones, errors.isEmpty ? nil : CKError.partialFailure(errors))
        } catch {
            fetchRecordZonesResultBlock?(.failure(error))
            fetchRecordZonesCompletionBlock?(zones, error)
        }
    }
}
