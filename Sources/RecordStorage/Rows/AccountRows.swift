public import RecordModel

/// A person's account, one for the whole installation. Each container knows it as a user with a name of its own.
public struct AccountRow: Hashable, Sendable {
    /// 32 hexadecimal digits; never sent to apps.
    public var id: String
    /// The mail address, in the form in which addresses are compared; unique in the installation.
    public var address: String
    /// When the account was made, in milliseconds.
    public var createdAt: Int64
    /// Whether an operator has shut the account.
    public var isDisabled: Bool

    /// Creates a row from its columns.
    public init(id: String, address: String, createdAt: Int64, isDisabled: Bool = false) {
        self.id = id
        self.address = address
        self.createdAt = createdAt
        self.isDisabled = isDisabled
    }
}

/// One thing by which a person shows that an account is theirs.
public struct CredentialRow: Hashable, Sendable {
    /// What a credential is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A password; the secret is what it was stretched to, with the parameters of that.
        case password
        /// The key of an authenticator app, and the last step of which a code was used.
        case oneTimeCode
        /// One recovery code; the name is its digest.
        case recoveryCode
        /// Somebody at a provider of OpenID Connect; the name is the issuer and the subject, the secret is empty.
        case provider
    }

    /// Whose it is.
    public var account: String
    /// What it is.
    public var kind: Kind
    /// Tells credentials of one kind apart, over all accounts; of a password, which is alone, the account's id.
    public var name: String
    /// What it is checked with.
    public var secret: [UInt8]
    /// When it was made, in milliseconds.
    public var createdAt: Int64

    /// Creates a row from its columns.
    public init(account: String, kind: Kind, name: String, secret: [UInt8], createdAt: Int64) {
        self.account = account
        self.kind = kind
        self.name = name
        self.secret = secret
        self.createdAt = createdAt
    }
}

/// A link that was mailed: good once and for a while. The store knows its digest only.
public struct AccountLinkRow: Hashable, Sendable {
    /// What a link is for.
    public enum Purpose: String, Hashable, Sendable, CaseIterable {
        /// To choose the first password of a new account.
        case signUp
        /// To choose another password.
        case reset
        /// To give the account another address.
        case address
        /// A device without a browser waits for its owner, or has been let in where there is an account; what it calls itself
        /// is in the place of the address.
        case device
        /// The same for one that was sent away.
        case refusedDevice
        /// What such a device shows leads to it: the digest of its own code, in the place of the address.
        case userCode
        /// What a browser brings back to a program of its machine; the challenge and the program's address are in the place of
        /// the address.
        case program
        /// For nothing: nobody was mailed it. It is written where there is no reason for a link, so that this takes as long.
        case dead
    }

    /// What it is for.
    public var purpose: Purpose
    /// The account; nil for one that is yet to be made.
    public var account: String?
    /// The address that it was mailed to.
    public var address: String
    /// Whose sign-in page it leads to.
    public var tenant: Tenant
    /// The API token of the app that the person came from, where there is one.
    public var apiToken: String?
    /// When it was made, in milliseconds.
    public var createdAt: Int64
    /// When it ends, in milliseconds.
    public var expiresAt: Int64

    /// Creates a row from its columns.
    public init(
        purpose: Purpose, account: String?, address: String, tenant: Tenant, apiToken: String?,
        createdAt: Int64, expiresAt: Int64
    ) {
        self.purpose = purpose
        self.account = account
        self.address = address
        self.tenant = tenant
        self.apiToken = apiToken
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// A sign-in that goes on: what its tokens, which follow each other, have in common.
public struct SessionRow: Hashable, Sendable {
    /// 32 hexadecimal digits, which let nobody in.
    public var id: String
    /// Where the user is signed in.
    public var tenant: Tenant
    /// The user's record name.
    public var user: String
    /// The user's account.
    public var account: String
    /// From where, in words for people: the browser, or the app.
    public var label: String
    /// When the session began, in milliseconds.
    public var createdAt: Int64
    /// When its newest token was made or first used, in milliseconds.
    public var seenAt: Int64
    /// When it ends at the latest, in milliseconds.
    public var endsAt: Int64
    /// How long it lasts without being used, in milliseconds.
    public var idleMilliseconds: Int64
    /// The digest of the API token for whose app the session is; nil for a page's, and for one from before this was kept.
    public var apiToken: [UInt8]?

    /// Creates a row from its columns.
    public init(
        id: String, tenant: Tenant, user: String, account: String, label: String, createdAt: Int64,
        seenAt: Int64, endsAt: Int64, idleMilliseconds: Int64, apiToken: [UInt8]? = nil
    ) {
        self.apiToken = apiToken
        self.id = id
        self.tenant = tenant
        self.user = user
        self.account = account
        self.label = label
        self.createdAt = createdAt
        self.seenAt = seenAt
        self.endsAt = endsAt
        self.idleMilliseconds = idleMilliseconds
    }
}

/// Who may come into a container by its sign-in page, and how the page looks.
public struct SignInPolicyRow: Hashable, Sendable {
    /// Who may make an account.
    public enum Admission: String, Hashable, Sendable, CaseIterable {
        /// Anyone with a mail address.
        case open
        /// Invited addresses, and all addresses of invited domains.
        case invited
        /// Nobody: operators make accounts.
        case operators
    }

    /// Whose sign-in page it is about.
    public var tenant: Tenant
    /// Who may make an account.
    public var admission: Admission
    /// Invited addresses, and domains with `@` in front.
    public var invited: [String]
    /// What the page calls the app; empty for the container's identifier.
    public var title: String
    /// What becomes of the public records of somebody whose account is deleted.
    public var publicRecords: ErasureRow.PublicRecords
    /// The color of the page's buttons and links, `#rrggbb`; empty for that of all pages.
    public var color: String
    /// The bytes of the picture above the page; nil for none.
    public var logo: [UInt8]?
    /// Whether somebody without an account may look at what a share's link leads to.
    public var showsShares: Bool
    /// What the page of a link opens the app by, with `{link}` where the link is to stand; empty for nothing.
    public var appLink: String
    /// The apps that open the server's links by themselves: `ABCDE12345.com.example.app` of Apple, `com.example.app/14:6D:…` of
    /// Android.
    public var linkedApps: [String]
    /// Whether people who are invited to a share get no mail about it.
    public var mutesInvitations: Bool

    /// Creates a row from its columns.
    public init(
        tenant: Tenant, admission: Admission = .operators, invited: [String] = [], title: String = "",
        publicRecords: ErasureRow.PublicRecords = .keep, color: String = "", logo: [UInt8]? = nil,
        showsShares: Bool = false, appLink: String = "", linkedApps: [String] = [],
        mutesInvitations: Bool = false
    ) {
        self.showsShares = showsShares
        self.appLink = appLink
        self.linkedApps = linkedApps
        self.mutesInvitations = mutesInvitations
        self.color = color
        self.logo = logo
        self.tenant = tenant
        self.admission = admission
        self.invited = invited
        self.title = title
        self.publicRecords = publicRecords
    }
}

/// What is added to a token that belongs to a session.
public struct TokenSuccession: Hashable, Sendable {
    /// The session.
    public var session: String
    /// The digest of the token before it, until this one is first used; then nil.
    public var previous: [UInt8]?
    /// When the token after it was first used, in milliseconds; nil while this one is the session's.
    public var replacedAt: Int64?

    /// Creates it from a token's columns.
    public init(session: String, previous: [UInt8]? = nil, replacedAt: Int64? = nil) {
        self.session = session
        self.previous = previous
        self.replacedAt = replacedAt
    }
}

extension [String] {
    /// Texts without line breaks as one, in the form in which engines keep them.
    public var lines: String { joined(separator: "\n") }

    /// The texts of such a one.
    public init(lines: String) {
        self = lines.utf8.split(separator: UInt8(ascii: "\n")).compactMap { String($0) }
    }
}
