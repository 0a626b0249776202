import RecordEngine
import Synchronization

/// Tokens that operators made just now: the page that follows shows their text, which nothing keeps, so that a
/// reload of it makes no second token.
final class NewTokens: Sendable {
    private struct Entry {
        let token: Tokens.Created
        let session: String
        let end: Int64
    }

    /// How long the text can be looked at, in milliseconds.
    private static let lifetimeMilliseconds: Int64 = 300_000
    /// More than operators make in that time; the oldest go first.
    private static let most = 64

    private let entries = Mutex<[(key: String, entry: Entry)]>([])

    /// Keeps a token for the session that made it.
    ///
    /// - Parameter session: the session's secret for forms.
    /// - Returns: the key for the address of the page.
    func keep(_ token: Tokens.Created, session: String, now: Int64) -> String {
        let key = Tokens.identifier(of: AccessToken.digest(token.token))
        entries.withLock { entries in
            entries.removeAll { $0.entry.end <= now || $0.key == key }
            if entries.count == Self.most { entries.removeFirst() }
            entries.append((key, Entry(token: token, session: session, end: now + Self.lifetimeMilliseconds)))
        }
        return key
    }

    /// The token of a key, for the session that made it and for a while.
    func token(_ key: String, session: String, now: Int64) -> Tokens.Created? {
        entries.withLock { entries in
            entries.first { $0.key == key && $0.entry.session == session && $0.entry.end > now }?.entry.token
        }
    }
}
