public import Foundation
internal import RecordModel
internal import RecordWire

/// Fetches which records of one zone changed, one page; the older form of ``CKFetchRecordZoneChangesOperation``.
///
/// The blocks for single records come first, one at a time, the completion block last and exactly once.
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKFetchRecordChangesOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The zone.
    open var recordZoneID: CKRecordZone.ID?
    /// What the fetch before gave; nil from the beginning.
    open var previousServerChangeToken: CKServerChangeToken?
    /// The most records wanted; 0 lets the service choose.
    open var resultsLimit = 0
    /// The fields wanted; nil for all.
    open var desiredKeys: [String]?

    /// Called with each record that is new or changed.
    open var recordChangedBlock: ((CKRecord) -> Void)?
    /// Called with each record that was deleted.
    open var recordWithIDWasDeletedBlock: ((CKRecord.ID) -> Void)?
    /// Called once at the end with where to go on; the data is that of an app's last change, which this service
    /// does not keep.
    open var fetchRecordChangesCompletionBlock: ((CKServerChangeToken?, Data?, (any Error)?) -> Void)?

    /// Whether there is more after this page; looked at in or after the completion block.
    open private(set) var moreComing = false

    /// Makes an operation without a zone, to be set before it is added.
    override public init() {}

    /// Makes an operation for a zone, from where another fetch ended or, with nil, from the beginning.
    public convenience init(
        recordZoneID: CKRecordZone.ID, previousServerChangeToken: CKServerChangeToken?
    ) {
        self.init()
        self.recordZoneID = recordZoneID
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func work() async {
        do throws(CKError) {
            let page = try await page()
            for event in page.events {
                switch event {
                case .changed(_, .success(let record)): recordChangedBlock?(record)
                case .changed(_, .failure(let error)): throw CKError(any: error)
                case .deleted(let recordID, _): recordWithIDWasDeletedBlock?(recordID)
                }
            }
            moreComing = page.moreComing
            fetchRecordChangesCompletionBlock?(page.token, nil, nil)
        } catch {
            fetchRecordChangesCompletionBlock?(nil, nil, error)
        }
    }

    private func page() async throws(CKError) -> CKDatabase.FetchedZone {
        guard let recordZoneID else {
            throw CKError(.invalidArguments, "No zone was set.", remedy: "Set recordZoneID.")
        }
        let wish = ZoneChangesRequest(
            zoneID: recordZoneID.wire, syncToken: previousServerChangeToken?.text, desiredKeys: desiredKeys,
            resultsLimit: resultsLimit > 0 ? resultsLimit : nil)
        let pages = try await target.zoneChangesPages([(recordZoneID, wish)], options: requestOptions)
        guard let page = pages.first else {
            throw CKError(.internalError, "The service's answer leaves out the zone.")
        }
        return try page.result.get()
    }
}
