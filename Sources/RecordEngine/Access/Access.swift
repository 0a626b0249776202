/// Who sends a request.
public enum Caller: Hashable, Sendable {
    /// An app without a user.
    case anonymous
    /// A user of the tenant, by record name.
    case user(String)
    /// Who runs the service, by the name that the audit log knows; may read and change everything.
    case administrator(String)

    /// What stamps carry for records that an operator wrote.
    public static let administratorRecordName = "_operator"

    /// The record name that stamps carry; nobody in particular is `_world`.
    public var userRecordName: String {
        switch self {
        case .anonymous: "_world"
        case .user(let name): name
        case .administrator: Caller.administratorRecordName
        }
    }
}

/// An operator at work: let in by other means than tokens.
public struct Administration: Hashable, Sendable {
    /// The operator's name.
    public var name: String
    /// Whose private database is meant; nil where the request is to the public one.
    public var owner: String?

    /// Names an operator, and the user whose private database is to be looked at.
    public init(name: String, owner: String? = nil) {
        self.name = name
        self.owner = owner
    }
}

/// What a request shows to be let in.
public struct Credentials: Hashable, Sendable {
    /// `ckAPIToken`.
    public var apiToken: String?
    /// `ckWebAuthToken`.
    public var webAuthToken: String?
    /// What a server-to-server key signed; tokens beside it do not count.
    public var signature: RequestSignature?
    /// `publicAccessAuthToken`: what a link shows to people without an account.
    public var shareToken: String?

    /// Collects what was shown.
    public init(apiToken: String?, webAuthToken: String?, signature: RequestSignature? = nil) {
        self.apiToken = apiToken
        self.webAuthToken = webAuthToken
        self.signature = signature
    }
}
