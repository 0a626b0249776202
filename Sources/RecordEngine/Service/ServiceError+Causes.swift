public import RecordModel
import RecordStorage
import RecordWire

extension ServiceError {
    /// A user is needed and nobody signed in.
    static let needsUser = ServiceError(
        .authenticationRequired, "request needs authorization",
        remedy: "Send a user's 'ckWebAuthToken'; 'stratus token create --user NAME' makes one.")

    /// A request that cannot be read; the words of the reason stay as they are, since clients compare them.
    ///
    /// - Parameter place: the field or value that is meant.
    init(_ error: JSONError, at place: String? = nil) {
        let remedy = [place.map { "\($0) is meant." }, error.detail].compactMap { $0 }.joined(separator: " ")
        self.init(.badRequest, error.description, remedy: remedy.isEmpty ? nil : remedy)
    }

    /// No such zone.
    static func zoneNotFound(_ zoneID: ZoneID) -> ServiceError {
        ServiceError(.zoneNotFound, "The zone '\(zoneID.zoneName.prefix(64))' does not exist.")
    }

    /// Tells a client what of an error it may know; the error itself becomes the cause.
    public init(describing error: any Error) {
        switch error {
        case let error as ServiceError: self = error
        case let error as SchemaPreviewOutdated:
            self = ServiceError(.conflict, error.sentence, remedy: error.remedy, cause: error)
        case let error as JSONError: self = ServiceError(error)
        case let error as SealingError:
            self = ServiceError(
                .internalError, "The service cannot use the encrypted fields of this database.",
                remedy:
                    "Its operator must check the master key; the log has the cause under this request's id.",
                cause: error)
        case let error as StorageError where error.isOutcomeUnknown:
            // No 'retryAfter': a client that sends the same again by itself might do it twice.
            self = ServiceError(
                .internalError, "The service lost its database and cannot say whether it did the request.",
                remedy: "Read what it would have changed, or repeat it if it had an 'idempotencyKey'.",
                cause: error)
        case let error as StorageError where error.isTooWide:
            self = ServiceError(.quotaExceeded, error.message, remedy: error.remedy, cause: error)
            exceededLimit = "recordBytes"
        case let error as StorageError where error.isTemporary:
            self = ServiceError(.tryAgainLater, "The service is busy: \(error.message)", cause: error)
            retryAfterSeconds = 1
        case is CancellationError:
            self = ServiceError(.tryAgainLater, "The request was given up.", cause: error)
            retryAfterSeconds = 1
        default:
            self = ServiceError(
                .internalError, "The service failed; its log has the cause under this request's id.",
                cause: error)
        }
    }
}
