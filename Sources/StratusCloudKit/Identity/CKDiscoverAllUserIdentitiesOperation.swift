/// Finds the users whom the device's address book knows.
///
/// The service cannot yet: the operation ends with `CKError.serverRejectedRequest`, which says which version of
/// the server will.
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
        let error = PlannedFeature.userDiscovery.errorUnlessCancelled
        discoverAllUserIdentitiesResultBlock?(.failure(error))
        discoverAllUserIdentitiesCompletionBlock?(error)
    }
}
