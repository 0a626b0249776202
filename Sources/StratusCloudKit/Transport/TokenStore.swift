internal import Synchronization

/// The web auth token that requests carry; every answer may bring the next one.
final class TokenStore: Sendable {
    private let token: Mutex<String?>

    init(_ token: String?) { self.token = Mutex(token) }

    /// The token for the next request; nil where nobody is signed in.
    var current: String? {
        get { token.withLock { $0 } }
        set { token.withLock { $0 = newValue } }
    }

    /// Takes over the token that an answer brings (cloudkit.md section 3.2; the second name is the older one).
    func adopt(from response: TransportResponse) {
        let next =
            response.headers["x-apple-cloudkit-web-auth-token"]
            ?? response.headers["x-apple-cloudkit-session"]
        if let next, !next.isEmpty { current = next }
    }
}
