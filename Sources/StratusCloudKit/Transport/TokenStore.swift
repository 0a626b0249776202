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
        /// The user's record name, where somebody signed in with an account.
        var user: String?
        /// Counts sign-ins and sign-outs.
        var session = 0
        /// Where the token is kept for other programs and the next start; nil for nowhere.
        var keeper: (any TokenKeeper)?
        /// Called when another program signed in or out.
        var onChange: (@Sendable () -> Void)?

        /// Takes over what other programs did.
        ///
        /// - Returns: whether the user is another one now, or none.
        mutating func look() -> Bool {
            guard var keeper else { return false }
            defer { self.keeper = keeper }
            guard let news = keeper.look() else { return false }
            let found = news.signIn
            token = found?.token
            guard found?.user != user else { return false }
            user = found?.user
            session += 1
            return true
        }
    }

    private let state: Mutex<State>

    init(_ token: String?) { state = Mutex(State(token: token)) }

    /// The token of the user who is signed in; nil where nobody is. Setting it begins another session, whose token is kept
    /// nowhere.
    var current: String? {
        get { looking { $0.token } }
        set {
            state.withLock {
                $0.keeper = nil
                $0.onChange = nil
                $0.token = newValue
                $0.user = nil
                $0.session += 1
            }
        }
    }

    /// The record name of the user who signed in with an account; nil where nobody did.
    var user: String? { looking { $0.user } }

    /// Counts sign-ins and sign-outs: the user is the same as long as it is.
    var session: Int { looking { $0.session } }

    /// The token for the next request.
    func lease() -> Lease { looking { Lease(token: $0.token, session: $0.session) } }

    private func looking<Value>(_ read: (State) -> Value) -> Value {
        let (value, tell) = state.withLock { state in
            let isOther = state.look()
            return (read(state), isOther ? state.onChange : nil)
        }
        tell?()
        return value
    }

    /// Takes over the token that an answer brings; the second header's name is the older one
    /// (Documentation/Protocol.md, 'Tokens').
    ///
    /// The answer to a request of another session is late: it must not sign a user in again, nor the wrong one.
    func adopt(from response: TransportResponse, for lease: Lease) {
        let next =
            response.headers["x-apple-cloudkit-web-auth-token"]
            ?? response.headers["x-apple-cloudkit-session"]
        guard let next, !next.isEmpty, let old = lease.token, old != next else { return }
        state.withLock { state in
            guard state.session == lease.session else { return }
            // Of two programs that were offered different tokens, both go on with the one that is kept.
            state.token = state.keeper?.renew(old, with: next) ?? next
        }
    }

    /// Begins the session of a user whose token is kept, or of nobody.
    ///
    /// - Parameters:
    ///   - signIn: the user's token; nil for nobody.
    ///   - keeper: where it is, or will be.
    ///   - onChange: called when another program signs in or out there.
    func begin(
        _ signIn: KeptSignIn?, keptBy keeper: (any TokenKeeper)?, onChange: @escaping @Sendable () -> Void
    ) {
        state.withLock {
            $0.token = signIn?.token
            $0.user = signIn?.user
            $0.session += 1
            $0.keeper = keeper
            $0.onChange = onChange
        }
    }
}

/// Who is signed in.
struct KeptSignIn: Sendable, Equatable {
    var token: String
    /// The user's record name.
    var user: String
}

/// What may have changed where tokens are kept.
struct KeptNews: Sendable {
    /// Who is signed in now; nil for nobody.
    var signIn: KeptSignIn?
}

/// Where tokens are between two starts of a program, and for others of the same person.
protocol TokenKeeper: Sendable {
    /// What is kept now, where that may have changed since it was last asked; nil where it has not.
    mutating func look() -> KeptNews?

    /// Puts a token in the place of another one.
    ///
    /// - Returns: the token that is kept now; nil where none could be.
    mutating func renew(_ old: String, with new: String) -> String?
}
