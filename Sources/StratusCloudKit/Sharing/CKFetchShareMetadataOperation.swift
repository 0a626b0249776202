public import Foundation

/// Fetches the metadata at the addresses of shares.
///
/// The service cannot yet: the operation ends with `CKError.serverRejectedRequest`, which says which version of
/// the server will.
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKFetchShareMetadataOperation: CKOperation, @unchecked Sendable {
    /// The addresses.
    open var shareURLs: [URL]?
    /// Whether root records are fetched too; the share of a zone has none.
    open var shouldFetchRootRecord = false
    /// The fields wanted of root records; nil for all.
    open var rootRecordDesiredKeys: [CKRecord.FieldKey]?

    /// Called with the metadata at each address, or with the reason why it could not be fetched.
    open var perShareMetadataResultBlock:
        ((_ shareURL: URL, _ shareMetadataResult: Result<CKShare.Metadata, any Error>) -> Void)?
    /// Called once at the end; a failure here means that a request failed as a whole.
    open var fetchShareMetadataResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called with each address; the older form of ``perShareMetadataResultBlock``.
    open var perShareMetadataBlock: ((URL, CKShare.Metadata?, (any Error)?) -> Void)?
    /// Called once at the end; failures of single addresses come as `CKError.partialFailure`.
    open var fetchShareMetadataCompletionBlock: (((any Error)?) -> Void)?

    /// Makes an operation without addresses, to be set before it is added.
    override public init() {}

    /// Makes an operation for addresses.
    public convenience init(shareURLs: [URL]) {
        self.init()
        self.shareURLs = shareURLs
    }

    override func work() async {
        let error = PlannedFeature.sharing.errorUnlessCancelled
        fetchShareMetadataResultBlock?(.failure(error))
        fetchShareMetadataCompletionBlock?(error)
    }
}
