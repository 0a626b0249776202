public import Foundation

extension CKError {
    /// The seconds to wait before trying again; nil where trying again does not help.
    public var retryAfterSeconds: Double? {
        (userInfo[CKErrorRetryAfterKey] as? NSNumber)?.doubleValue ?? userInfo[CKErrorRetryAfterKey]
            as? Double
    }

    /// The errors of single items, by `CKRecord.ID` or `CKRecordZone.ID`; nil unless the code is
    /// ``Code/partialFailure``.
    public var partialErrorsByItemID: [AnyHashable: any Error]? {
        userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error]
    }

    /// For ``Code/serverRecordChanged``: the record that the service has.
    public var serverRecord: CKRecord? { userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord }

    /// For ``Code/serverRecordChanged``: the record that the client tried to save.
    public var clientRecord: CKRecord? { userInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord }

    /// For ``Code/serverRecordChanged``: the record as the client last had it from the service.
    public var ancestorRecord: CKRecord? { userInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord }

    /// The id under which the service's log has the request.
    public var requestUUID: String? { userInfo[Self.requestUUIDKey] as? String }

    /// Whether the same request may succeed later.
    ///
    /// True for failures of the network, for rate limits and for a service or zone that is busy.
    public var isRetryable: Bool {
        switch code {
        case .networkUnavailable, .networkFailure, .serviceUnavailable, .requestRateLimited, .zoneBusy,
            .accountTemporarilyUnavailable:
            true
        default: retryAfterSeconds != nil
        }
    }

    /// The key of the request's id, the same as Apple's.
    static let requestUUIDKey = "RequestUUID"
    /// The key of the address where a user can sign in.
    static let redirectURLKey = "RedirectURL"

    /// For ``Code/notAuthenticated``: where a user can sign in, if the service said so.
    public var signInURL: URL? { (userInfo[Self.redirectURLKey] as? String).flatMap(URL.init(string:)) }

    /// Wraps the errors of single items.
    static func partialFailure(_ errors: [AnyHashable: any Error]) -> CKError {
        CKError(
            .partialFailure, "\(errors.count) of the items failed.",
            userInfo: [CKPartialErrorsByItemIDKey: errors])
    }
}
