/// Finds users by their addresses, numbers or records.
///
/// Who did not allow it on their account page is as if there were no account. `CKError.permissionFailure` says that the
/// app's API token may not ask for people.
///
/// Sendable is unchecked as in ``CKOperation``.
@available(*, deprecated, message: "Share records with a CKShare instead of discovering users.")
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    /// Whom to find.
    open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo] = []

    /// Called with each user found, and what found them.
    open var userIdentityDiscoveredBlock: ((CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)?
    /// Called once at the end.
    open var discoverUserIdentitiesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called once at the end; the older form of ``discoverUserIdentitiesResultBlock``.
    open var discoverUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

    /// Makes an operation that finds nobody, until lookups are set.
    override public init() {}

    /// Makes an operation that finds users.
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }

    override func work() async {
        do throws(CKError) {
            for found in try await askedContainer.identities(
                userIdentityLookupInfos, options: containerOptions)
            {
                userIdentityDiscoveredBlock?(found.identity, found.lookup)
            }
            discoverUserIdentitiesResultBlock?(.success(()))
            discoverUserIdentitiesCompletionBlock?(nil)
        } catch {
            discoverUserIdentitiesResultBlock?(.failure(error))
            discoverUserIdentitiesCompletionBlock?(error)
        }
    }
}
