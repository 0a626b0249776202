import CloudKit

/// A switch over the codes, as apps have it to tell the user something.
func message(for error: Error) -> String {
    guard let error = error as? CKError else { return (error as NSError).localizedDescription }
    switch error.code {
    case .notAuthenticated: return "Sign in to continue."
    case .networkFailure, .networkUnavailable: return "You are offline."
    case .quotaExceeded: return "The storage is full."
    case .requestRateLimited, .serviceUnavailable, .zoneBusy:
        let seconds = error.userInfo[CKErrorRetryAfterKey] as? Double ?? error.retryAfterSeconds ?? 1
        return "Try again in \(seconds) seconds."
    case .partialFailure:
        let count = error.partialErrorsByItemID?.count ?? 0
        return "\(count) items failed."
    case .serverRecordChanged:
        return "Somebody else changed \(error.serverRecord?.recordID.recordName ?? "it")."
    case .unknownItem: return "It is gone."
    default: return "Code \(error.errorCode)"
    }
}

func isMissingZone(_ error: NSError) -> Bool {
    error.domain == CKErrorDomain
        && (error.code == CKError.Code.zoneNotFound.rawValue
            || error.code == CKError.userDeletedZone.rawValue)
}
