extension CKError {
    /// The kinds of failures, with CloudKit's numbers.
    public enum Code: Int, Hashable, Sendable, CaseIterable {
        /// The service or this module failed in a way that has no code of its own.
        case internalError = 1
        /// Some items failed; ``CKError/partialErrorsByItemID`` says which and why.
        case partialFailure = 2
        /// There is no network.
        case networkUnavailable = 3
        /// The service could not be reached, or the connection broke.
        case networkFailure = 4
        /// The container is not configured or not known to the service.
        case badContainer = 5
        /// The service cannot answer at the moment; see ``CKError/retryAfterSeconds``.
        case serviceUnavailable = 6
        /// Too many requests; see ``CKError/retryAfterSeconds``.
        case requestRateLimited = 7
        /// The app lacks an entitlement; never sent by this service.
        case missingEntitlement = 8
        /// A user is needed and none is signed in, or a token is wrong.
        case notAuthenticated = 9
        /// The user may not do this.
        case permissionFailure = 10
        /// There is no such record, zone or type.
        case unknownItem = 11
        /// The request breaks a rule; the sentence says which.
        case invalidArguments = 12
        /// Not all results were returned; never sent by this service.
        case resultsTruncated = 13
        /// The service has a newer version of the record; see ``CKError/serverRecord``.
        case serverRecordChanged = 14
        /// The service refused the request.
        case serverRejectedRequest = 15
        /// The file of an asset is not there.
        case assetFileNotFound = 16
        /// The file of an asset changed while it was sent.
        case assetFileModified = 17
        /// This version of the app is too old for the service.
        case incompatibleVersion = 18
        /// A unique field would have a value twice.
        case constraintViolation = 19
        /// The operation was cancelled.
        case operationCancelled = 20
        /// The change token cannot be used any more; fetch again without one.
        case changeTokenExpired = 21
        /// Another item of an atomic batch failed, so this one was not done.
        case batchRequestFailed = 22
        /// The zone is being changed by someone else; try again.
        case zoneBusy = 23
        /// The operation is not possible in this database.
        case badDatabase = 24
        /// There is no room left, or the record is too large.
        case quotaExceeded = 25
        /// There is no such zone; make it first.
        case zoneNotFound = 26
        /// The request has too many items or bytes; split it.
        case limitExceeded = 27
        /// The user deleted the zone.
        case userDeletedZone = 28
        /// The share has too many participants.
        case tooManyParticipants = 29
        /// The record is shared already.
        case alreadyShared = 30
        /// A reference would point at a record that is not there.
        case referenceViolation = 31
        /// The account's administrator forbids this.
        case managedAccountRestricted = 32
        /// The user has to confirm who they are.
        case participantMayNeedVerification = 33
        /// The connection broke while the answer to a write was awaited: it may or may not have been done.
        case serverResponseLost = 34
        /// The asset cannot be had.
        case assetNotAvailable = 35
        /// The account cannot be used at the moment.
        case accountTemporarilyUnavailable = 36
        /// The participant was invited already.
        case participantAlreadyInvited = 37
    }
}
