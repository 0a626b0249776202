/// Accepts shares, so that their records appear in the user's shared database.
///
/// Accepting one again is harmless. A share that the user is not invited to, and that is not open to everybody who has its
/// address, fails with `CKError.unknownItem`, as one that does not exist, or with `permissionFailure` where its owner takes
/// requests for access. The records are there when the operation ends.
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKAcceptSharesOperation: CKOperation, @unchecked Sendable {
    /// The shares' metadata, as fetched from their addresses.
    open var shareMetadatas: [CKShare.Metadata]?

    /// Called with each share, or with why it could not be accepted.
    open var perShareResultBlock:
        ((_ metadata: CKShare.Metadata, _ metadataResult: Result<CKShare, any Error>) -> Void)?
    /// Called once at the end; a failure here means that a request failed as a whole.
    open var acceptSharesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called with each share or error; the older form of ``perShareResultBlock``.
    open var perShareCompletionBlock: ((CKShare.Metadata, CKShare?, (any Error)?) -> Void)?
    /// Called once at the end; failures of single shares come as `CKError.partialFailure`.
    open var acceptSharesCompletionBlock: (((any Error)?) -> Void)?

    /// Makes an operation without shares, to be set before it is added.
    override public init() {}

    /// Makes an operation that accepts shares.
    public convenience init(shareMetadatas: [CKShare.Metadata]) {
        self.init()
        self.shareMetadatas = shareMetadatas
    }

    override func work() async {
        var errors: [AnyHashable: any Error] = [:]
        do throws(CKError) {
            try await askedContainer.run(accept: shareMetadatas ?? [], options: containerOptions) {
                metadata, result in
                perShareResultBlock?(metadata, result)
                switch result {
                case .success(let share): perShareCompletionBlock?(metadata, share, nil)
                case .failure(let error):
                    let item = metadata.share.url.map { AnyHashable($0) }
                    errors[item ?? AnyHashable(metadata.share.recordID)] = error
                    perShareCompletionBlock?(metadata, nil, error)
                }
            }
            acceptSharesResultBlock?(.success(()))
            acceptSharesCompletionBlock?(errors.isEmpty ? nil : CKError.partialFailure(errors))
        } catch {
            acceptSharesResultBlock?(.failure(error))
            acceptSharesCompletionBlock?(error)
        }
    }
}
