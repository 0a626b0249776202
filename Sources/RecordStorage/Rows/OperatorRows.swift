public import RecordModel

/// Somebody who runs the service.
public struct OperatorRow: Hashable, Sendable {
    /// The name, unique in the service.
    public var name: String
    /// When the operator was added, in milliseconds.
    public var createdAt: Int64
    /// Whether the operator may look at everything and change nothing.
    public var isReadOnly: Bool

    /// Creates a row from its columns.
    public init(name: String, createdAt: Int64, isReadOnly: Bool = false) {
        self.name = name
        self.createdAt = createdAt
        self.isReadOnly = isReadOnly
    }
}

/// What lets an operator into the console; the store knows its digest only.
public struct OperatorTokenRow: Hashable, Sendable {
    /// What a token is for.
    public enum Kind: String, Hashable, Sendable {
        /// The operator's secret, typed at the sign-in page.
        case secret
        /// A link that lets in once.
        case link
        /// A browser that is signed in.
        case session
        /// A browser between the first step of signing in and the second.
        case ticket
        /// The second step: in the place of the digest stands the key of an authenticator app, with the last step of
        /// time of which a code was used.
        case oneTimeCode
        /// A code that lets in once without the app.
        case recoveryCode
    }

    /// What the token is for.
    public var kind: Kind
    /// Whom it lets in.
    public var operatorName: String
    /// When it was made, in milliseconds.
    public var createdAt: Int64
    /// When it ends, in milliseconds; nil for never.
    public var expiresAt: Int64?

    /// Creates a row from its columns.
    public init(kind: Kind, operatorName: String, createdAt: Int64, expiresAt: Int64?) {
        self.kind = kind
        self.operatorName = operatorName
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// One thing that an operator did.
public struct AuditRow: Hashable, Sendable {
    /// The position in the log, given by the store; 0 for a row that is yet to be stored.
    public var id: Int64
    /// When it was done, in milliseconds.
    public var at: Int64
    /// Who did it.
    public var operatorName: String
    /// What was done, as a short fixed text: `record.delete`.
    public var action: String
    /// Where; nil for what concerns the whole service.
    public var tenant: Tenant?
    /// To what: a record's name, a type, a user.
    public var subject: String
    /// The request that did it.
    public var requestID: String

    /// Creates a row from its columns.
    public init(
        id: Int64 = 0, at: Int64, operatorName: String, action: String, tenant: Tenant?, subject: String,
        requestID: String
    ) {
        self.id = id
        self.at = at
        self.operatorName = operatorName
        self.action = action
        self.tenant = tenant
        self.subject = subject
        self.requestID = requestID
    }
}
