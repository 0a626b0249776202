public import Foundation

/// A failure of a request, or of one item of it.
///
/// The code says what to do, the sentence (`localizedDescription`) says what happened, and
/// ``requestUUID`` finds the request in the service's log. A failure of several items has the code
/// ``Code/partialFailure`` and holds one error for each item in ``partialErrorsByItemID``.
///
/// Sendable is unchecked because a user info dictionary holds `Any`: it never changes after the error is
/// made, and what this module puts in it is sendable.
public struct CKError: Error, CustomNSError, LocalizedError, @unchecked Sendable {
    /// The domain of the errors, as `NSError` sees them.
    public static var errorDomain: String { CKErrorDomain }

    /// What kind of failure this is.
    public let code: Code
    /// What is known about the failure, by the keys of `NSError` and of CloudKit.
    public let userInfo: [String: Any]

    /// Makes an error of a code and of what is known about it.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        self.userInfo = userInfo
    }

    /// Makes the error that an `NSError` of CloudKit's domain stands for; a code that is not known becomes
    /// ``Code/internalError``.
    public init(_nsError error: NSError) {
        self.init(Code(rawValue: error.code) ?? .internalError, userInfo: error.userInfo)
    }

    /// Makes an error with a sentence and, where there is one, a remedy.
    init(_ code: Code, _ reason: String, remedy: String? = nil, userInfo: [String: Any] = [:]) {
        var info = userInfo
        info[NSLocalizedDescriptionKey] = reason
        info[NSLocalizedRecoverySuggestionErrorKey] = remedy
        self.init(code, userInfo: info)
    }

    /// The number of the code.
    public var errorCode: Int { code.rawValue }
    /// What is known about the failure.
    public var errorUserInfo: [String: Any] { userInfo }
    /// What happened, in a sentence.
    public var errorDescription: String? { userInfo[NSLocalizedDescriptionKey] as? String }
    /// What to do about it, in a sentence.
    public var recoverySuggestion: String? { userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String }
}

/// Errors are equal when their codes and sentences are.
extension CKError: Hashable {
    /// Whether two errors have the same code and sentence.
    public static func == (left: CKError, right: CKError) -> Bool {
        left.code == right.code && left.errorDescription == right.errorDescription
    }

    /// Feeds what equality looks at.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(errorDescription)
    }
}

extension CKError: CustomStringConvertible {
    /// The code's name and the sentence, for logs.
    public var description: String {
        var text = "CKError \(code.rawValue) (\(code))"
        if let errorDescription { text += ": \(errorDescription)" }
        if let recoverySuggestion { text += " \(recoverySuggestion)" }
        for (item, error) in partialErrorsByItemID ?? [:] { text += "\n  \(item.base): \(error)" }
        return text
    }
}

/// The domain of CloudKit's errors.
public let CKErrorDomain = "CKErrorDomain"
/// The key of the seconds to wait before trying again.
public let CKErrorRetryAfterKey = "CKRetryAfter"
/// The key of the errors of single items, by item ID.
public let CKPartialErrorsByItemIDKey = "CKPartialErrors"
/// The key of the record that the client's changes are based on.
public let CKRecordChangedErrorAncestorRecordKey = "AncestorRecord"
/// The key of the record that the service has.
public let CKRecordChangedErrorServerRecordKey = "ServerRecord"
/// The key of the record that the client tried to save.
public let CKRecordChangedErrorClientRecordKey = "ClientRecord"
/// The key that says that the user reset the encrypted data.
public let CKErrorUserDidResetEncryptedDataKey = "CKUserDidResetEncryptedData"
