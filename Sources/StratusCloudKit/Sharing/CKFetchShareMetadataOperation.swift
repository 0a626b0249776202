public import Foundation

/// Fetches the metadata at the addresses of shares.
///
/// An address may be of any host, with a title or without, or a bare token; see ``CKShare/url``. A share that does not exist,
/// and one that the user is not let in to, fail with `CKError.unknownItem`; `participantMayNeedVerification` says that
/// somebody was invited by an address that no account has, who may be the user.
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
        var errors: [AnyHashable: any Error] = [:]
        do throws(CKError) {
            try await askedContainer.run(
                resolve: shareURLs ?? [], wantsRoot: shouldFetchRootRecord, rootKeys: rootRecordDesiredKeys,
                options: containerOptions
            ) { url, result in
                perShareMetadataResultBlock?(url, result)
                switch result {
                case .success(let metadata): perShareMetadataBlock?(url, metadata, nil)
                case .failure(let error):
                    errors[url] = error
                    perShareMetadataBlock?(url, nil, error)
                }
            }
            fetchShareMetadataResultBlock?(.success(()))
            fetchShareMetadataCompletionBlock?(errors.isEmpty ? nil : CKError.partialFailure(errors))
        } catch {
            fetchShareMetadataResultBlock?(.failure(error))
            fetchShareMetadataCompletionBlock?(error)
        }
    }
}
