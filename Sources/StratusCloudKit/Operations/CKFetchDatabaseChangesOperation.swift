/// Fetches which zones of a database changed.
///
/// The blocks for zones and tokens come as pages are fetched, the result blocks last and exactly once.
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKFetchDatabaseChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// What the fetch before gave; nil from the beginning.
    open var previousServerChangeToken: CKServerChangeToken?
    /// The most zones of a page; 0 lets the service choose.
    open var resultsLimit = 0
    /// Whether pages are fetched until nothing is left; otherwise one page is.
    open var fetchAllChanges = true

    /// Called with each zone that changed.
    open var recordZoneWithIDChangedBlock: ((CKRecordZone.ID) -> Void)?
    /// Called with each zone that was deleted.
    open var recordZoneWithIDWasDeletedBlock: ((CKRecordZone.ID) -> Void)?
    /// Called with each zone that the user purged; never called by this service.
    open var recordZoneWithIDWasPurgedBlock: ((CKRecordZone.ID) -> Void)?
    /// Called with each zone lost by a reset of encrypted data; never called by this service.
    open var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock: ((CKRecordZone.ID) -> Void)?
    /// Called after each page with where it ends.
    open var changeTokenUpdatedBlock: ((CKServerChangeToken) -> Void)?
    /// Called once at the end with where to go on.
    open var fetchDatabaseChangesResultBlock:
        (
            (_ operationResult: Result<(serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error>)
                -> Void
        )?
    /// Called once at the end; the older form of ``fetchDatabaseChangesResultBlock``.
    open var fetchDatabaseChangesCompletionBlock: ((CKServerChangeToken?, Bool, (any Error)?) -> Void)?

    /// Makes an operation that begins at the beginning, unless a token is set before it is added.
    override public init() {}

    /// Makes an operation that begins where another fetch ended; nil from the beginning.
    public convenience init(previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func work() async {
        var token = previousServerChangeToken
        do throws(CKError) {
            let database = target
            while true {
                let page = try await database.databaseChangesPage(
                    since: token, limit: resultsLimit, options: requestOptions)
                guard !Task.isCancelled else { throw CKError(any: CancellationError()) }
                for deletion in page.deletions { recordZoneWithIDWasDeletedBlock?(deletion.zoneID) }
                for change in page.modifications { recordZoneWithIDChangedBlock?(change.zoneID) }
                token = page.changeToken
                changeTokenUpdatedBlock?(page.changeToken)
                guard page.moreComing, fetchAllChanges else {
                    fetchDatabaseChangesResultBlock?(.success((page.changeToken, page.moreComing)))
                    fetchDatabaseChangesCompletionBlock?(page.changeToken, page.moreComing, nil)
                    return
                }
            }
        } catch {
            fetchDatabaseChangesResultBlock?(.failure(error))
            fetchDatabaseChangesCompletionBlock?(token, false, error)
        }
    }
}
