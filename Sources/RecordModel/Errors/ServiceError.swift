/// What went wrong with a request or with one item of it, in a form that is safe to send.
///
/// The code and the sentence go to the client; the cause stays in the log.
public struct ServiceError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, as clients know it (Documentation/Protocol.md, 'Errors').
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case accessDenied = "ACCESS_DENIED"
            case atomicError = "ATOMIC_ERROR"
            case authenticationFailed = "AUTHENTICATION_FAILED"
            case authenticationRequired = "AUTHENTICATION_REQUIRED"
            case badRequest = "BAD_REQUEST"
            case conflict = "CONFLICT"
            case exists = "EXISTS"
            case internalError = "INTERNAL_ERROR"
            case notFound = "NOT_FOUND"
            case quotaExceeded = "QUOTA_EXCEEDED"
            case throttled = "THROTTLED"
            case tryAgainLater = "TRY_AGAIN_LATER"
            case validatingReference = "VALIDATING_REFERENCE_ERROR"
            case zoneNotFound = "ZONE_NOT_FOUND"
            case zoneBusy = "ZONE_BUSY"
        }

        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The caller may not do this.
        public static let accessDenied = Code(.accessDenied)
        /// Another operation of an atomic batch failed.
        public static let atomicError = Code(.atomicError)
        /// A token is wrong, revoked or for another container.
        public static let authenticationFailed = Code(.authenticationFailed)
        /// A user is needed and none signed in.
        public static let authenticationRequired = Code(.authenticationRequired)
        /// The request cannot be understood or breaks a rule.
        public static let badRequest = Code(.badRequest)
        /// The change tag is not that of the record.
        public static let conflict = Code(.conflict)
        /// Something of that name already exists.
        public static let exists = Code(.exists)
        /// The service failed; the log says why.
        public static let internalError = Code(.internalError)
        /// No such record or record type.
        public static let notFound = Code(.notFound)
        /// Too large, or no room left.
        public static let quotaExceeded = Code(.quotaExceeded)
        /// Too many requests for now.
        public static let throttled = Code(.throttled)
        /// The service cannot answer at the moment.
        public static let tryAgainLater = Code(.tryAgainLater)
        /// A VALIDATE reference would dangle.
        public static let validatingReference = Code(.validatingReference)
        /// No such zone.
        public static let zoneNotFound = Code(.zoneNotFound)
        /// The zone is being changed by someone else.
        public static let zoneBusy = Code(.zoneBusy)

        /// Every code that the service can send.
        public static let all: [Code] = [
            accessDenied, atomicError, authenticationFailed, authenticationRequired, badRequest, conflict,
            exists,
            internalError, notFound, quotaExceeded, throttled, tryAgainLater, validatingReference,
            zoneNotFound,
            zoneBusy,
        ]

        /// The code of the given text, if there is one.
        public init?(text: String) {
            guard let kind = Kind(rawValue: text) else { return nil }
            self.kind = kind
        }

        /// The code's text, the same in answers, logs and metrics.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public var code: Code
    /// What is wrong, in a sentence that may be shown to the client.
    public var reason: String
    /// What to do about it, in a sentence that may be shown to the client.
    public var remedy: String?
    /// How long to wait before trying again; nil means that trying again does not help.
    public var retryAfterSeconds: Int?
    /// Where to sign in, for `AUTHENTICATION_REQUIRED`.
    public var redirectURL: String?
    /// For conflicts: the record that the service has, in the form in which it is sent.
    public var serverRecord: [UInt8]?
    /// The limit that was exceeded, by its name in ``Limits``; nil where none was, a full quota among them.
    public var exceededLimit: String?
    /// The number that the error has in CloudKit's own clients (`CKError.Code`), where the code says less.
    public var nativeCode: Int?
    /// What production lacks, where that is what is wrong.
    public var gaps: [SchemaGap] = []
    /// What lies beneath; for the log only.
    public var cause: (any Error)?

    /// Creates an error of a kind with its sentences.
    public init(_ code: Code, _ reason: String, remedy: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.remedy = remedy
        self.cause = cause
    }

    /// Creates the error of something that is too large or too many for a limit of the service. What is not too large but has no
    /// room left is `QUOTA_EXCEEDED` without a limit.
    ///
    /// - Parameters:
    ///   - limit: the name of the limit in ``Limits``.
    ///   - code: `QUOTA_EXCEEDED` where nothing else is said.
    ///   - reason: what is wrong, in one sentence.
    ///   - remedy: what to do about it.
    public init(
        exceeding limit: StaticString, code: Code = .quotaExceeded, _ reason: String, remedy: String? = nil
    ) {
        self.init(code, reason, remedy: remedy)
        assert(Limits.published.contains { $0.name == "\(limit)" }, "There is no limit \(limit).")
        exceededLimit = "\(limit)"
    }

    public var description: String {
        var text = "\(code): \(reason)"
        if let remedy { text += " \(remedy)" }
        if let cause { text += " (cause: \(cause))" }
        return text
    }
}
