/// Finds all users of the container who allow it on their account page: there is no address book here that would narrow
/// them down.
///
/// `CKError.permissionFailure` says that the app's API token may not ask for people.
///
/// Sendable is unchecked as in ``CKOperation``.
@available(*, deprecated, message: "Share records with a CKShare instead of discovering users.")
open class CKDiscoverAllUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    /// Called with each user found.
    open var userIdentityDiscoveredBlock: ((CKUserIdentity) -> Void)?
    /// Called once at the end.
    open var discoverAllUserIdentitiesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called once at the end; the older form of ``discoverAllUserIdentitiesResultBlock``.
    open var discoverAllUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

    /// Makes an operation.
    override public init() {}

    override func work() async {
        do throws(CKError) {
            try await askedContainer.forEachIdentity(options: containerOptions) {
                userIdentityDiscoveredBlock?($0)
            }
            discoverAllUserIdentitiesResultBlock?(.success(()))
            discoverAllUserIdentitiesCompletionBlock?(nil)
        } catch {
            discoverAllUserIdentitiesResultBlock?(.failure(error))
            discoverAllUserIdentitiesCompletionBlock?(error)
        }
    }
}
