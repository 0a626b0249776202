public import Foundation

/// Fetches what the addresses of shares tell.
///
/// The service cannot yet: the operation ends with `CKError.serverRejectedRequest`, which says which version of
/// the server will.
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKFetchShareMetadataOperation: CKOperation, @unchecked Sendable {
    /// The addresses.
    public var shareURLs: [URL]?
    /// Whether root records are fetched too; the share of a zone has none.
    public var shouldFetchRootRecord = false
    /// The fields wanted of root records; nil for all.
    public var rootRecordDesiredKeys: [CKRecord.FieldKey]?

    /// Called with what each address tells, or with why it could not be had.
    public var perShareMetadataResultBlock:
        ((_ shareURL: URL, _ shareMetadataResult: Result<CKShare.Metadata, any Error>) -> Void)?
    /// Called once at the end; a failure here means that a request failed as a whole.
    public var fetchShareMetadataResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called with each address; the older form of ``perShareMetadataResultBlock``.
    public var perShareMetadataBlock: ((URL, CKShare.Metadata?, (any Error)?) -> Void)?
    /// Called once at the end; failures of single addresses come as `CKError.partialFailure`.
    public var fetchShareMetadataCompletionBlock: (((any Error)?) -> Void)?

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
