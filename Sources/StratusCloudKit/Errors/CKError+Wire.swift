internal import Foundation
internal import RecordModel
internal import RecordWire

extension CKError {
    /// The code for an error dictionary: the native number where the service names one, since the wire has one word for
    /// several of CloudKit's errors.
    private static func code(_ wire: ErrorDictionary) -> Code {
        if let code = wire.nativeCode.flatMap(Code.init(rawValue:)) { return code }
        if wire.mayNeedVerification { return .participantMayNeedVerification }
        // The wire has one code for what is too large or too many and for an account that is full; apps ask people to
        // make room for the second alone.
        if wire.exceededLimit != nil { return .limitExceeded }
        return code(serverErrorCode: wire.serverErrorCode)
    }

    /// The code for a server error code (Documentation/Protocol.md, 'Errors').
    static func code(serverErrorCode: String) -> Code {
        switch ServiceError.Code(text: serverErrorCode) {
        case .accessDenied?: .permissionFailure
        case .atomicError?: .batchRequestFailed
        case .authenticationFailed?, .authenticationRequired?: .notAuthenticated
        case .badRequest?: .invalidArguments
        case .conflict?, .exists?: .serverRecordChanged
        case .internalError?: .internalError
        case .notFound?: .unknownItem
        case .quotaExceeded?: .quotaExceeded
        case .throttled?: .requestRateLimited
        case .tryAgainLater?: .serviceUnavailable
        case .validatingReference?: .referenceViolation
        case .zoneBusy?: .zoneBusy
        case .zoneNotFound?: .zoneNotFound
        default: serverErrorCode == "UNIQUE_FIELD_ERROR" ? .constraintViolation : .serverRejectedRequest
        }
    }

    /// Makes the error that an error dictionary stands for.
    ///
    /// - Parameter userInfo: what the client knows besides, records of a conflict for example.
    init(_ wire: ErrorDictionary, userInfo: [String: Any] = [:]) {
        var info = userInfo
        info[Self.requestUUIDKey] = wire.uuid
        info[CKErrorRetryAfterKey] = wire.retryAfter.map { NSNumber(value: $0) }
        info[Self.redirectURLKey] = wire.redirectURL
        self.init(Self.code(wire), wire.reason ?? wire.serverErrorCode, remedy: wire.remedy, userInfo: info)
    }

    /// The CloudKit error for anything that the module's own code throws.
    init(any error: any Error) {
        switch error {
        case let error as CKError: self = error
        case let error as TransportError: self.init(error, mayHaveBeenApplied: false)
        case is CancellationError: self.init(.operationCancelled, "The operation was cancelled.")
        case let error as ErrorDictionary: self.init(error)
        case let error as JSONError:
            self.init(.internalError, "The service's answer cannot be read: \(error)")
        default:
            self.init(.internalError, "\(error)", userInfo: [NSUnderlyingErrorKey: error])
        }
    }

    /// Makes the error for a request that got no answer.
    ///
    /// - Parameter mayHaveBeenApplied: whether the request was a write that may have reached the service.
    init(_ error: TransportError, mayHaveBeenApplied: Bool) {
        let cause: [String: Any] = [NSUnderlyingErrorKey: error]
        switch error.kind {
        case .offline: self.init(.networkUnavailable, error.message, userInfo: cause)
        case .cancelled: self.init(.operationCancelled, "The operation was cancelled.")
        case .unreachable: self.init(.networkFailure, error.message, userInfo: cause)
        case .timedOut, .connectionLost:
            guard mayHaveBeenApplied else {
                self.init(.networkFailure, error.message, userInfo: cause)
                return
            }
            self.init(
                .serverResponseLost, error.message,
                remedy: "The write may have been done: fetch the records before saving them again.",
                userInfo: cause)
        case .misconfigured: self.init(.badContainer, error.message, userInfo: cause)
        }
    }
}
