/// Makes participants of users, to be added to a share.
///
/// Everybody can be invited: a user whom the service does not know, or who does not want to be found, is a participant
/// whose identity has no account, and is matched when the share is accepted.
///
/// Sendable is unchecked as in ``CKOperation``.
open class CKFetchShareParticipantsOperation: CKOperation, @unchecked Sendable {
    /// The users.
    open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]?

    /// Called with each participant, or with why the user cannot be one.
    open var perShareParticipantResultBlock:
        (
            (
                _ lookupInfo: CKUserIdentity.LookupInfo,
                _ shareParticipantResult: Result<CKShare.Participant, any Error>
            ) -> Void
        )?
    /// Called once at the end; a failure here means that a request failed as a whole.
    open var fetchShareParticipantsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
    /// Called with each participant; the older form of ``perShareParticipantResultBlock``.
    open var shareParticipantFetchedBlock: ((CKShare.Participant) -> Void)?
    /// Called once at the end; failures of single users come as `CKError.partialFailure`.
    open var fetchShareParticipantsCompletionBlock: (((any Error)?) -> Void)?

    /// Makes an operation without users, to be set before it is added.
    override public init() {}

    /// Makes an operation for users.
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }

    override func work() async {
        do throws(CKError) {
            try await askedContainer.run(
                fetchParticipants: userIdentityLookupInfos ?? [], options: containerOptions
            ) { lookup, participant in
                perShareParticipantResultBlock?(lookup, .success(participant))
                shareParticipantFetchedBlock?(participant)
            }
            fetchShareParticipantsResultBlock?(.success(()))
            fetchShareParticipantsCompletionBlock?(nil)
        } catch {
            fetchShareParticipantsResultBlock?(.failure(error))
            fetchShareParticipantsCompletionBlock?(error)
        }
    }
}
