/// The codes as members of the error itself, for `catch CKError.unknownItem`.
extension CKError {
    /// The service or this module failed in a way that has no code of its own.
    public static var internalError: Code { .internalError }
    /// Some items failed; ``CKError/partialErrorsByItemID`` says which and why.
    public static var partialFailure: Code { .partialFailure }
    /// There is no network.
    public static var networkUnavailable: Code { .networkUnavailable }
    /// The service could not be reached, or the connection broke.
    public static var networkFailure: Code { .networkFailure }
    /// The container is not configured or not known to the service.
    public static var badContainer: Code { .badContainer }
    /// The service cannot answer at the moment; see ``CKError/retryAfterSeconds``.
    public static var serviceUnavailable: Code { .serviceUnavailable }
    /// Too many requests; see ``CKError/retryAfterSeconds``.
    public static var requestRateLimited: Code { .requestRateLimited }
    /// The app lacks an entitlement; never sent by this service.
    public static var missingEntitlement: Code { .missingEntitlement }
    /// A user is needed and none is signed in, or a token is wrong.
    public static var notAuthenticated: Code { .notAuthenticated }
    /// The user may not do this.
    public static var permissionFailure: Code { .permissionFailure }
    /// There is no such record, zone or type.
    public static var unknownItem: Code { .unknownItem }
    /// The request breaks a rule; the sentence says which.
    public static var invalidArguments: Code { .invalidArguments }
    /// Not all results were returned; never sent by this service.
    public static var resultsTruncated: Code { .resultsTruncated }
    /// The service has a newer version of the record; see ``CKError/serverRecord``.
    public static var serverRecordChanged: Code { .serverRecordChanged }
    /// The service refused the request.
    public static var serverRejectedRequest: Code { .serverRejectedRequest }
    /// The file of an asset is not there.
    public static var assetFileNotFound: Code { .assetFileNotFound }
    /// The file of an asset changed while it was sent.
    public static var assetFileModified: Code { .assetFileModified }
    /// This version of the app is too old for the service.
    public static var incompatibleVersion: Code { .incompatibleVersion }
    /// A unique field would have a value twice.
    public static var constraintViolation: Code { .constraintViolation }
    /// The operation was cancelled.
    public static var operationCancelled: Code { .operationCancelled }
    /// The change token cannot be used any more; fetch again without one.
    public static var changeTokenExpired: Code { .changeTokenExpired }
    /// Another item of an atomic batch failed, so this one was not done.
    public static var batchRequestFailed: Code { .batchRequestFailed }
    /// The zone is being changed by someone else; try again.
    public static var zoneBusy: Code { .zoneBusy }
    /// The operation is not possible in this database.
    public static var badDatabase: Code { .badDatabase }
    /// There is no room left, or the record is too large.
    public static var quotaExceeded: Code { .quotaExceeded }
    /// There is no such zone; make it first.
    public static var zoneNotFound: Code { .zoneNotFound }
    /// The request has too many items or bytes; split it.
    public static var limitExceeded: Code { .limitExceeded }
    /// The user deleted the zone.
    public static var userDeletedZone: Code { .userDeletedZone }
    /// The share has too many participants.
    public static var tooManyParticipants: Code { .tooManyParticipants }
    /// The record is shared already.
    public static var alreadyShared: Code { .alreadyShared }
    /// A reference would point at a record that is not there.
    public static var referenceViolation: Code { .referenceViolation }
    /// The account's administrator forbids this.
    public static var managedAccountRestricted: Code { .managedAccountRestricted }
    /// The user has to confirm who they are.
    public static var participantMayNeedVerification: Code { .participantMayNeedVerification }
    /// The connection broke while the answer to a write was awaited: it may or may not have been done.
    public static var serverResponseLost: Code { .serverResponseLost }
    /// The asset cannot be had.
    public static var assetNotAvailable: Code { .assetNotAvailable }
    /// The account cannot be used at the moment.
    public static var accountTemporarilyUnavailable: Code { .accountTemporarilyUnavailable }
    /// The participant was invited already.
    public static var participantAlreadyInvited: Code { .participantAlreadyInvited }
}

extension CKError.Code {
    /// Whether an error has this code, for patterns.
    public static func ~= (code: CKError.Code, error: any Error) -> Bool {
        (error as? CKError)?.code == code
    }
}
