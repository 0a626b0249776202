/// Who sends a request.
public enum Caller: Hashable, Sendable {
    /// An app without a user.
    case anonymous
    /// A user of the tenant, by record name.
    case user(String)

    /// The record name that stamps carry; nobody in particular is `_world`.
    public var userRecordName: String {
        switch self {
        case .anonymous: "_world"
        case .user(let name): name
        }
    }
}

/// What a request shows to be let in.
public struct Credentials: Hashable, Sendable {
    /// `ckAPIToken`.
    public var apiToken: String?
    /// `ckWebAuthToken`.
    public var webAuthToken: String?

    /// Collects what was shown.
    public init(apiToken: String?, webAuthToken: String?) {
        self.apiToken = apiToken
        self.webAuthToken = webAuthToken
    }
}

/// Who may change records of a public database that somebody else made, until roles can be told apart.
public enum PublicWritePolicy: String, Hashable, Sendable, CaseIterable {
    /// Only who made a record: CloudKit's default grants.
    case creator
    /// Every user who is signed in.
    case users
}
