import Crypto
import RecordModel
public import RecordStorage
import RecordWire

/// Who somebody is at a provider.
public struct ProvidedIdentity: Sendable, Hashable {
    /// The provider's name for itself.
    public var issuer: String
    /// The provider's name for the person, the same for ever.
    public var subject: String
    /// The mail address, where the provider says that it has been verified.
    public var address: MailAddress?

    /// Makes an identity.
    public init(issuer: String, subject: String, address: MailAddress?) {
        self.issuer = issuer
        self.subject = subject
        self.address = address
    }

    /// What the store calls it.
    var name: String { issuer + " " + subject }
}

/// What a browser takes to a provider, and what this server recognises it by when it comes back.
public struct ProviderVisit: Sendable {
    /// Where the provider sends the browser back to.
    public var redirect: String
    /// What the browser brings back.
    public var state: String
    /// What the provider's token must repeat.
    public var nonce: String
    /// What only this server can show together with the provider's code (RFC 7636).
    public var verifier: String

    /// Makes a visit.
    public init(redirect: String, state: String, nonce: String, verifier: String) {
        self.redirect = redirect
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
    }

    /// What the provider gets of the verifier: its digest (RFC 7636, 4.2).
    public var challenge: String { Base64.encodeURL(Array(SHA256.hash(data: Array(verifier.utf8)))) }
}

/// What asks providers who somebody is.
public protocol IdentityProviders: Sendable {
    /// Where to send a browser.
    ///
    /// - Throws: `ProviderFailure` where the provider cannot be reached, or does not describe itself as one; `INTERNAL_ERROR`
    ///   where this process asks no providers.
    func address(of provider: SignInProviderRow, for visit: ProviderVisit) async throws -> String
    /// Who somebody is, by the code that the browser brought back.
    ///
    /// - Throws: `ProviderFailure` where the provider cannot be reached, refuses the code or gives no proof, and where the key
    ///   that is set for it cannot sign; `INTERNAL_ERROR` where this process asks no providers.
    func identity(
        at provider: SignInProviderRow, code: String, for visit: ProviderVisit
    ) async throws -> ProvidedIdentity
}

/// Why somebody whom a provider knows does not come in.
public enum ProviderRefusal: Error, Sendable {
    /// Another account has the address; whoever has that one connects the provider there.
    case addressTaken
    /// The identity is another account's.
    case connectedElsewhere
    /// It is the only way into the account.
    case lastWay
}

/// For those that ask no provider: commands, for example.
public struct NoIdentityProviders: IdentityProviders {
    /// Makes it.
    public init() {}

    public func address(of provider: SignInProviderRow, for visit: ProviderVisit) async throws -> String {
        throw ServiceError(.internalError, "Providers cannot be asked here.")
    }

    public func identity(
        at provider: SignInProviderRow, code: String, for visit: ProviderVisit
    ) async throws -> ProvidedIdentity {
        throw ServiceError(.internalError, "Providers cannot be asked here.")
    }
}
