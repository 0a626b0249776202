public import RecordModel

/// A provider of OpenID Connect with which people sign in to a container.
public struct SignInProviderRow: Hashable, Sendable {
    /// Whose sign-in page offers it.
    public var tenant: Tenant
    /// What addresses call it; unique in the tenant.
    public var name: String
    /// What the page calls it.
    public var title: String
    /// Who issues its tokens: the address that its own description has as well.
    public var issuer: String
    /// What the provider calls this server.
    public var clientID: String
    /// What the server shows the provider: a secret, or the private key (PEM) that signs one; empty for neither.
    public var secret: [UInt8]
    /// The key's id at the provider; empty where the secret is no key.
    public var keyID: String
    /// Who has the key at the provider; empty where the secret is no key.
    public var team: String
    /// The scopes to ask for, separated by spaces.
    public var scopes: String
    /// Whether the provider's answer comes as a form and not in an address.
    public var postsForm: Bool
    /// When it was added, in milliseconds.
    public var createdAt: Int64

    /// Creates a row from its columns.
    public init(
        tenant: Tenant, name: String, title: String, issuer: String, clientID: String, secret: [UInt8] = [],
        keyID: String = "", team: String = "", scopes: String = "openid email", postsForm: Bool = false,
        createdAt: Int64
    ) {
        self.tenant = tenant
        self.name = name
        self.title = title
        self.issuer = issuer
        self.clientID = clientID
        self.secret = secret
        self.keyID = keyID
        self.team = team
        self.scopes = scopes
        self.postsForm = postsForm
        self.createdAt = createdAt
    }
}
