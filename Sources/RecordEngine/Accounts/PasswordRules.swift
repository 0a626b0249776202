import Foundation

/// What a password has to be: long enough and not among those that everybody tries, and nothing else
/// (NIST SP 800-63B, 3.1.1.2).
public enum PasswordRules {
    /// Why a password is refused.
    public enum Refusal: String, Sendable, CaseIterable, Error {
        case tooShort, tooLong, common
    }

    /// The fewest characters. NIST asks for 15 where a password is all there is, and allows 8 beside a second factor;
    /// 10 is what people take without writing it down, with attempts limited as they are (`AttemptLimits`).
    public static let fewestCharacters = 10
    /// The most characters; more would only keep the machine busy.
    public static let mostCharacters = 256

    /// Why a password cannot be somebody's; nil where it can.
    ///
    /// - Parameters:
    ///   - password: the password.
    ///   - context: words that an attacker tries first: the address, the name of the app.
    public static func refusal(of password: String, context: [String]) -> Refusal? {
        let count = password.unicodeScalars.count
        guard count >= fewestCharacters else { return .tooShort }
        guard count <= mostCharacters else { return .tooLong }
        return CommonPasswords.contains(password, context: context) ? .common : nil
    }

    /// The bytes that are stretched: however a keyboard composes a letter, it is the same password (NFKC, as NIST asks).
    static func bytes(of password: String) -> [UInt8] {
        Array(password.precomposedStringWithCompatibilityMapping.utf8)
    }
}
