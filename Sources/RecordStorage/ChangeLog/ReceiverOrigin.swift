/// What a receiver of notifications ends with: the sign-in, or the tokens, of whoever registered it.
public enum ReceiverOrigin: Hashable, Sendable {
    /// A session; the store deletes its receivers with it.
    case session(String)
    /// Tokens that operators made, by their digests: a user's web auth token and the app's API token beside it, or a
    /// server-to-server key. With the first that is gone or over the receiver ends.
    case tokens([[UInt8]])

    private static let mark = "tokens "

    /// As a row keeps it: the session's id, by which the store finds it, or the digests in hexadecimal digits.
    public var stored: String {
        switch self {
        case .session(let id): id
        case .tokens(let digests): Self.mark + digests.map(\.hexadecimal).joined(separator: " ")
        }
    }

    /// Reads what ``stored`` gave.
    public init(stored text: String) {
        guard text.hasPrefix(Self.mark) else {
            self = .session(text)
            return
        }
        self = .tokens(text.dropFirst(Self.mark.count).split(separator: " ").map { [UInt8](hexadecimal: $0) })
    }
}

extension [UInt8] {
    fileprivate var hexadecimal: String {
        map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// What is no digit ends it: then it is the digest of nothing.
    fileprivate init(hexadecimal text: Substring) {
        let digits = text.utf8.prefix { Character(UnicodeScalar($0)).isHexDigit }.compactMap {
            Character(UnicodeScalar($0)).hexDigitValue
        }
        self = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
