public import Foundation

/// Asks the owners of shares to let the user take part.
///
/// Success says nothing about the share: an address that leads nowhere is answered alike, and so is one whose owner wants no
/// requests. Who takes part already, or is invited, gets `CKError.participantAlreadyInvited`.
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
        do throws(CKError) {
            try await askedContainer.run(requestAccess: shareURLs ?? [], options: containerOptions) {
                url, result in
                perShareAccessRequestResultBlock?(url, result)
            }
            shareRequestAccessResultBlock?(.success(()))
        } catch {
            shareRequestAccessResultBlock?(.failure(error))
        }
    }
}

extension CKContainer {
    /// Asks the owners of shares to let the user take part; see ``CKShareRequestAccessOperation``.
    ///
    /// - Throws: `CKError`: `notAuthenticated` where nobody is signed in; another code when a request failed as a whole.
    ///   Failures of single shares are in the result.
    public func requestShareAccess(for urls: [URL]) async throws -> [URL: Result<Void, any Error>] {
        var results: [URL: Result<Void, any Error>] = [:]
        try await run(requestAccess: urls, options: publicCloudDatabase.options) { results[$0] = $1 }
        return results
    }
}
