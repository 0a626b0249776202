internal import Synchronization

/// The web auth token that requests carry; every answer may bring the next one.
final class TokenStore: Sendable {
    /// A token as one request uses it.
    struct Lease: Sendable {
        let token: String?
        fileprivate let session: Int
    }

    private struct State {
        var token: String?
        /// Counts sign-ins and sign-outs.
        var session = 0
    }

    private let state: Mutex<State>

    init(_ token: String?) { state = Mutex(State(token: token)) }

    /// The token of the user who is signed in; nil where nobody is. Setting it begins another session.
    var current: String? {
        get { state.withLock { $0.token } }
        set {
            state.withLock {
                $0.token = newValue
                $0.session += 1
            }
        }
    }

    /// Counts sign-ins and sign-outs: the user is the same as long as it is.
    var session: Int { state.withLock { $0.session } }

    /// The token for the next request.
    func lease() -> Lease { state.withLock { Lease(token: $0.token, session: $0.session) } }

    /// Takes over the token that an answer brings; the second header's name is the older one
    /// (Documentation/Protocol.md, 'Tokens').
    ///
    /// The answer to a request of another session is late: it must not sign a user in again, nor the wrong one.
    func adopt(from response: TransportResponse, for lease: Lease) {
        let next =
            response.headers["x-apple-cloudkit-web-auth-token"]
            ?? response.headers["x-apple-cloudkit-session"]
        guard let next, !next.isEmpty, lease.token != nil else { return }
        state.withLock { if $0.session == lease.session { $0.token = next } }
    }
}
