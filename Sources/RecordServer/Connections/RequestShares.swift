import Foundation
import RecordEngine
import RecordModel
import Synchronization

/// How many requests are worked on for each address, network, user and API token, so that none of them takes all there is.
///
/// A request counts for its address, the network around it and its user from its head on, and for the API token of its app only when
/// its body is there and nobody is signed in: the token is in every copy of the app, so a stranger who has it could keep the
/// app's visitors out by bodies that never come, and its users by anything.
///
/// Beside others, a user with many requests under way gets only a part of the processors for them (``PartyExecutor``).
final class RequestShares: Sendable {
    /// Who has a share.
    enum Party: Hashable, Sendable {
        case address(ClientAddress)
        case network(ClientNetwork)
        case user(Tenant, String)
        case token(String)

        fileprivate var share: Int {
            switch self {
            case .address: Limits.requestsPerAddress
            case .network: Limits.requestsPerNetwork
            case .user: Limits.requestsPerUser
            case .token: Limits.requestsPerToken
            }
        }

        fileprivate var name: String {
            switch self {
            case .address: "this address"
            case .network: "this network"
            case .user: "this user"
            case .token: "this API token"
            }
        }
    }

    /// How many requests of a party are worked on. Counted down without a look at the table, which would cost each request
    /// as much again as it did to find it.
    fileprivate final class Share: Sendable {
        let count = Atomic<Int>(0)
        private let executor = Mutex<PartyExecutor?>(nil)

        /// Where requests run beyond those that run as they come; made with the first of them.
        func executor(width: Int) -> PartyExecutor {
            executor.withLock { executor in
                if let executor { return executor }
                let new = PartyExecutor(width: width)
                executor = new
                return new
            }
        }
    }

    fileprivate struct State {
        var shares: [Party: Share] = [:]
        /// How many there may be before those that nobody uses are removed.
        var most = RequestShares.fewest
        /// Whose request came last, and when the sender last changed.
        var last: Party?
        var mixed: ContinuousClock.Instant?
    }

    fileprivate static let fewest = 4_096
    private let state = Mutex(State())
    /// How many requests of a crowd run as they come beside others, and how many more run in turn: half of the processors.
    let width = max(1, ProcessInfo.processInfo.activeProcessorCount / 4)
    /// For how long somebody counts as being there after a request.
    fileprivate static let presence = Duration.seconds(1)

    /// The shares of a request, from ``take(_:runner:)`` until ``give(_:)``.
    struct Taken: Sendable {
        fileprivate let shares: [Share]
        /// Where the request goes on; nil for where it is.
        let executor: PartyExecutor?
    }

    /// How many shares are taken, those of all parties together.
    var taken: Int {
        state.withLock { $0.shares.values.reduce(0) { $0 + $1.count.load(ordering: .relaxed) } }
    }

    /// Counts a request for its parties.
    ///
    /// - Parameters:
    ///   - parties: who has a share in it; nobody may be one.
    ///   - runner: the one of them whose requests take turns with each other; nil for none.
    /// - Throws: `THROTTLED` when one of them has too much under way.
    func take(_ parties: [Party], runner: Party? = nil) throws(ServiceError) -> Taken {
        let (shares, isAlone) = try enter(parties, runner)
        guard !isAlone, let own = runner.flatMap({ parties.firstIndex(of: $0) }).map({ shares[$0] }),
            own.count.load(ordering: .relaxed) > width
        else { return Taken(shares: shares, executor: nil) }
        return Taken(shares: shares, executor: own.executor(width: width))
    }

    /// Notes that a request is answered.
    func give(_ taken: Taken) {
        for share in taken.shares {
            let left = share.count.subtract(1, ordering: .relaxed).newValue
            assert(left >= 0, "a request that ends has begun")
        }
    }

    private func enter(
        _ parties: [Party], _ runner: Party?
    ) throws(ServiceError) -> (shares: [Share], isAlone: Bool) {
        var full: Party?
        let now = ContinuousClock.now
        let (shares, isAlone) = state.withLock { state in
            let shares = parties.map { state.share(of: $0) }
            // Only this adds to a count, so that what is seen here can but become less.
            full = zip(parties, shares).first { $1.count.load(ordering: .relaxed) >= $0.share }?.0
            guard full == nil else { return ([Share](), false) }
            for share in shares { share.count.add(1, ordering: .relaxed) }
            return (shares, state.isAlone(runner, now))
        }
        guard let full else { return (shares, isAlone) }
        var error = ServiceError(
            .throttled, "\(full.share) requests of \(full.name) are being answered already.",
            remedy: "Wait for answers before you send more; GET /limits says how many may be under way.")
        error.retryAfterSeconds = 1
        throw error
    }
}

extension RequestShares.State {
    /// Notes whose request came, and says whether nobody else has sent any of late.
    fileprivate mutating func isAlone(_ party: RequestShares.Party?, _ now: ContinuousClock.Instant) -> Bool {
        if let party, party != last {
            if last != nil { mixed = now }
            last = party
        }
        return mixed.map { now - $0 > RequestShares.presence } ?? true
    }

    /// The count of a party, which is made where there is none.
    fileprivate mutating func share(of party: RequestShares.Party) -> RequestShares.Share {
        if let share = shares[party] { return share }
        if shares.count >= most {
            shares = shares.filter { $0.value.count.load(ordering: .relaxed) > 0 }
            most = max(RequestShares.fewest, 2 * shares.count)
        }
        let share = RequestShares.Share()
        shares[party] = share
        return share
    }
}

/// Who has shares in a request, and from when on.
struct RequestParties: Sendable {
    /// Those that count from the request's head on.
    var first: [RequestShares.Party] = []
    /// The one that counts when the body is there; nil for none.
    var later: RequestShares.Party?
    /// The one whose requests take turns with each other: the user, or the address where nobody is signed in, or the API token where
    /// that is not known.
    var runner: RequestShares.Party?
    /// The one that is asked to take its answers: the same, but the network in the place of the address.
    var taker: RequestShares.Party?

    init(user: RequestShares.Party?, token: String?, from client: ClientAddress?) {
        if let client { first = [.address(client), .network(client.network)] }
        if let user { first.append(user) }
        later = user == nil ? token.map { .token($0) } : nil
        runner = user ?? client.map { .address($0) } ?? later
        taker = user ?? client.map { .network($0.network) } ?? later
    }
}
