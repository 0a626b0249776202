import Crypto
import Foundation

/// Codes of six digits that an authenticator app shows for half a minute each (RFC 6238 over RFC 4226, with SHA-1, as apps
/// expect it where nothing else is said).
enum OneTimeCode {
    /// How long a code is shown, in seconds.
    static let stepSeconds: Int64 = 30
    /// The bytes of a secret: as many as SHA-1's own.
    static let secretBytes = 20
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// The code of a step.
    static func code(of secret: [UInt8], step: Int64) -> String {
        var counter = step.bigEndian
        let bytes = withUnsafeBytes(of: &counter) { Data($0) }
        let hash = Array(
            HMAC<Insecure.SHA1>.authenticationCode(for: bytes, using: SymmetricKey(data: secret)))
        let offset = Int(hash[hash.count - 1] & 0xF)
        let number = hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// The step that a code is of: that of now, or the one before or after it, since clocks differ.
    static func step(of code: String, secret: [UInt8], now: Int64) -> Int64? {
        let typed = code.filter { !$0.isWhitespace }
        let current = now / 1_000 / stepSeconds
        // All are compared, so that the time does not tell which one it was.
        return [current - 1, current, current + 1].reduce(nil) { found, step in
            ConstantTime.areEqual(Self.code(of: secret, step: step).utf8, typed.utf8)
                ? step : found
        }
    }

    /// Ten codes for who has lost the app, each of 80 random bits.
    static func recoveryCodes(_ random: (Int) -> [UInt8]) -> [String] {
        (0..<10).map { _ in
            let letters = text(of: random(10)).lowercased()
            return [0, 4, 8, 12].map { String(letters.dropFirst($0).prefix(4)) }.joined(separator: "-")
        }
    }

    /// A recovery code without what people put between its letters.
    static func plain(recoveryCode: String) -> String {
        recoveryCode.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    /// The address by which apps take a key over.
    static func link(key: String, issuer: String, account: String) -> String {
        let name = account.replacing("%", with: "%25").replacing("#", with: "%23").replacing("?", with: "%3F")
        return "otpauth://totp/\(issuer):\(name)?secret=\(key)&issuer=\(issuer)"
    }

    /// Bytes as people type them: base32 without padding (RFC 4648).
    static func text(of secret: [UInt8]) -> String {
        var result: [UInt8] = []
        var buffer = 0
        var bits = 0
        for byte in secret {
            buffer = buffer << 8 | Int(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                result.append(alphabet[buffer >> bits & 31])
            }
            buffer &= (1 << bits) - 1
        }
        if bits > 0 { result.append(alphabet[buffer << (5 - bits) & 31]) }
        return String(decoding: result, as: UTF8.self)
    }
}
