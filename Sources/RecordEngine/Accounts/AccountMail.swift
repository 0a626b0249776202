public import RecordModel

/// A mail to a person about an account.
public struct AccountMail: Sendable {
    /// What it says.
    public enum Kind: String, Sendable, CaseIterable {
        /// A link to choose a first password.
        case signUp
        /// Somebody wants an account who has one: a link to choose another password.
        case known
        /// A link to choose another password.
        case reset
        /// A link that gives the account this address.
        case address
        /// The account has another address from now on; to the one before.
        case addressChanged
        /// The password was changed.
        case passwordChanged
        /// A provider was connected, with which one can sign in from now on.
        case connected
        /// A mailed link chose another password; providers lead to the account no more.
        case passwordReset
        /// Signing in asks for a code as well from now on.
        case secondStepOn
        /// Signing in asks for no code any more.
        case secondStepOff
        /// Very many codes were wrong: only recovery codes are good.
        case secondStepStopped
        /// The account is gone, with all that it had.
        case deleted
        /// Somebody was invited to a share.
        case invitation
    }

    /// What it says.
    public var kind: Kind
    /// To whom.
    public var address: MailAddress
    /// About which app.
    public var tenant: Tenant
    /// What the sign-in page calls the app.
    public var title: String
    /// The language of the page on which it was asked for, as two letters; of an invitation those that the inviter's program asks
    /// for (`Accept-Language`).
    public var language: String
    /// Who invites, as far as they let others see their name; nil in other mails, too.
    public var inviter: String?
    /// What the share is called to which somebody was invited; empty for nothing.
    public var share = ""
    /// The address to open; nil where the mail only tells something.
    public var link: String?
    /// How long the link is good, in milliseconds.
    public var lifetimeMilliseconds: Int64

    /// Collects what a mail says.
    public init(
        kind: Kind, address: MailAddress, tenant: Tenant, title: String, language: String, link: String?,
        lifetimeMilliseconds: Int64
    ) {
        self.kind = kind
        self.address = address
        self.tenant = tenant
        self.title = title
        self.language = language
        self.link = link
        self.lifetimeMilliseconds = lifetimeMilliseconds
    }
}

/// What carries mails away.
public protocol AccountPost: Sendable {
    /// Whether mails reach people; if not, operators see the links and pass them on.
    var reachesPeople: Bool { get }
    /// Carries a mail away. A failure is for the operator's log, since nobody waits for it.
    func send(_ mail: AccountMail) async
    /// Notes for the operator's log why a mail that was asked for could not be written.
    func noteFailure(_ error: any Error)
}
