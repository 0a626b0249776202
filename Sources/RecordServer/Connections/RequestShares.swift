import RecordEngine
import RecordModel
import Synchronization

/// How many requests are worked on for each address, user and API token, so that none of them takes all there is.
final class RequestShares: Sendable {
    /// Who has a share.
    enum Party: Hashable, Sendable {
        case address(ClientAddress)
        case user(Tenant, String)
        case token(String)

        fileprivate var share: Int {
            switch self {
            case .address: Limits.requestsPerAddress
            case .user: Limits.requestsPerUser
            case .token: Limits.requestsPerToken
            }
        }

        fileprivate var name: String {
            switch self {
            case .address: "this address"
            case .user: "this user"
            case .token: "this API token"
            }
        }
    }

    /// How many requests of a party are worked on. Counted down without a look at the table, which would cost each request
    /// as much again as it did to find it.
    fileprivate final class Share: Sendable {
        let count = Atomic<Int>(0)
    }

    fileprivate struct State {
        var shares: [Party: Share] = [:]
        /// How many there may be before those that nobody uses are removed.
        var most = RequestShares.fewest
    }

    fileprivate static let fewest = 4_096
    private let state = Mutex(State())

    /// Does work for parties that are counted meanwhile.
    ///
    /// - Throws: `THROTTLED` when one of them has too much under way; what the work throws.
    func with<Result>(_ parties: [Party], _ work: () async throws -> Result) async throws -> Result {
        let shares = try enter(parties)
        defer {
            for share in shares {
                let left = share.count.subtract(1, ordering: .relaxed).newValue
                assert(left >= 0, "a request that ends has begun")
            }
        }
        return try await work()
    }

    private func enter(_ parties: [Party]) throws(ServiceError) -> [Share] {
        var full: Party?
        let shares = state.withLock { state in
            let shares = parties.map { state.share(of: $0) }
            // Only this adds to a count, so that what is seen here can but become less.
            full = zip(parties, shares).first { $1.count.load(ordering: .relaxed) >= $0.share }?.0
            guard full == nil else { return [Share]() }
            for share in shares { share.count.add(1, ordering: .relaxed) }
            return shares
        }
        guard let full else { return shares }
        var error = ServiceError(
            .throttled, "\(full.share) requests of \(full.name) are being answered already.",
            remedy: "Wait for answers before you send more; GET /limits says how many may be under way.")
        error.retryAfterSeconds = 1
        throw error
    }
}

extension RequestShares.State {
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

extension [RequestShares.Party] {
    /// The one of them that is asked to take its answers: the user, or the API token where nobody is signed in.
    var taker: RequestShares.Party? {
        first { if case .user = $0 { true } else { false } }
            ?? first { if case .token = $0 { true } else { false } }
    }
}
