import CloudKit

enum PeopleOperations {
    static func participants(emails: [String], found: @escaping (CKShare.Participant) -> Void)
        -> CKFetchShareParticipantsOperation
    {
        let infos = emails.map { CKUserIdentity.LookupInfo(emailAddress: $0) }
        let operation = CKFetchShareParticipantsOperation(userIdentityLookupInfos: infos)
        operation.shareParticipantFetchedBlock = found
        operation.fetchShareParticipantsCompletionBlock = { _ in }
        return operation
    }

    static func everybody(found: @escaping (CKUserIdentity) -> Void) -> CKDiscoverAllUserIdentitiesOperation {
        let operation = CKDiscoverAllUserIdentitiesOperation()
        operation.userIdentityDiscoveredBlock = found
        operation.discoverAllUserIdentitiesCompletionBlock = { _ in }
        return operation
    }

    static func some(phones: [String]) -> CKDiscoverUserIdentitiesOperation {
        let infos = CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: phones)
        let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: infos)
        operation.userIdentityDiscoveredBlock = { identity, info in _ = identity.hasiCloudAccount }
        return operation
    }
}
