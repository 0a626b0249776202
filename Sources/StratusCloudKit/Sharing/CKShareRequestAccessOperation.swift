public import Foundation

/// Asks the owners of shares to let the user take part.
///
/// The service cannot yet: the operation ends with `CKError.serverRejectedRequest`, which says which version of
/// the server will.
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKShareRequestAccessOperation: CKOperation, @unchecked Sendable {
    /// The addresses of the shares.
    open var shareURLs: [URL]?

    /// Called with each address, and why its share cannot be asked for.
    open var perShareAccessRequestResultBlock: ((_ shareURL: URL, _ result: Result<Void, any Error>) -> Void)?
    /// Called once at the end; a failure here means that the request failed as a whole.
    open var shareRequestAccessResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    /// Makes an operation without addresses, to be set before it is added.
    override public init() {}

    /// Makes an operation for the addresses of shares.
    public convenience init(shareURLs: [URL]) {
        self.init()
        self.shareURLs = shareURLs
    }

    override func work() async {
        shareRequestAccessResultBlock?(.failure(PlannedFeature.sharing.errorUnlessCancelled))
    }
}

extension CKContainer {
    /// Asks the owners of shares to let the user take part.
    ///
    /// - Throws: `CKError.serverRejectedRequest`, always.
    public func requestShareAccess(for urls: [URL]) async throws -> [URL: Result<Void, any Error>] {
        throw PlannedFeature.sharing.error
    }
}
