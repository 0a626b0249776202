internal import RecordEngine

/// What went wrong with a provider, for the server's log. People are told that it did not work.
///
/// It names no code and no token: whoever reads the log must not be able to use them.
public struct ProviderFailure: Error, Sendable, CustomStringConvertible {
    /// What went wrong, as far as callers tell it apart.
    public enum Code: String, Sendable {
        /// Nobody answered, or not within the time and the size that are allowed.
        case unreachable
        /// The provider's description of itself is not one, or of another provider.
        case badDescription
        /// The provider did not take the code.
        case refused
        /// What the provider gave is no proof of who somebody is.
        case badToken
        /// What is set for the provider cannot be used.
        case badSettings
        /// Too many people sign in with providers at this moment.
        case busy
    }

    /// What went wrong.
    public let code: Code
    /// What happened, in a sentence.
    public let reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// What to do about it.
    public var remedy: String {
        switch code {
        case .unreachable, .busy: "Try again in a moment; check that the server can reach the provider."
        case .badDescription:
            "Give the issuer exactly as the provider's /.well-known/openid-configuration has it."
        case .refused: "Compare client ID, secret and redirect address with what the provider has."
        case .badToken: "Check the clocks of the server and of the provider."
        case .badSettings: "Remove the provider and add it again: 'stratus sign-in provider add'."
        }
    }

    public var description: String { "\(reason) \(remedy)" }
}
