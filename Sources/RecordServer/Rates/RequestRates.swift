import NIOCore
import RecordEngine
import RecordModel

/// How many requests a minute each address, user and token may send; 0 stands for any number.
public struct RateLimits: Sendable, Equatable {
    /// Those of one address, which may be that of many people.
    public var perAddress: Int
    /// Those of one user.
    public var perUser: Int
    /// Those with one API token or server-to-server key, which all users of an app may share.
    public var perToken: Int

    /// The limits that `/limits` publishes where nothing else is set.
    public static let published = RateLimits(
        perAddress: Limits.addressRequestsPerMinute, perUser: Limits.userRequestsPerMinute,
        perToken: Limits.tokenRequestsPerMinute)

    /// Collects other limits.
    public init(perAddress: Int, perUser: Int, perToken: Int) {
        self.perAddress = perAddress
        self.perUser = perUser
        self.perToken = perToken
    }

    /// The names in `/limits`, with what counts on this server.
    var byName: [String: Int] {
        [
            "addressRequestsPerMinute": perAddress, "userRequestsPerMinute": perUser,
            "tokenRequestsPerMinute": perToken,
        ]
    }
}

/// What is left to somebody of a rate.
struct RateStanding: Sendable {
    /// Whose rate it is, as the headers call it: `address`, `user`, `token` or `key`.
    var policy: String
    var perMinute: Int
    var level: TokenBuckets.Level

    /// Whether less is left of this rate than of another.
    func isTighter(than other: RateStanding?) -> Bool {
        guard let other else { return true }
        return level.remaining * other.perMinute < other.level.remaining * perMinute
    }
}

/// How many requests each address, user and token sends.
final class RequestRates: Sendable {
    /// Whose requests are counted.
    enum Party: Hashable, Sendable {
        case address(ClientAddress)
        case user(Tenant, String)
        case token(String)
        /// A server-to-server key by its id.
        case key(String)

        fileprivate var policy: String {
            switch self {
            case .address: "address"
            case .user: "user"
            case .token: "token"
            case .key: "key"
            }
        }

        fileprivate var name: String {
            switch self {
            case .address: "this address"
            case .user: "this user"
            case .token: "this API token"
            case .key: "this key"
            }
        }
    }

    let limits: RateLimits
    private let addresses: TokenBuckets?
    private let users: TokenBuckets?
    private let tokens: TokenBuckets?
    private let now: @Sendable () -> UInt64

    init(
        _ limits: RateLimits = .published,
        now: @escaping @Sendable () -> UInt64 = { NIODeadline.now().uptimeNanoseconds }
    ) {
        self.limits = limits
        self.now = now
        addresses = limits.perAddress > 0 ? TokenBuckets(perMinute: limits.perAddress) : nil
        users = limits.perUser > 0 ? TokenBuckets(perMinute: limits.perUser) : nil
        tokens = limits.perToken > 0 ? TokenBuckets(perMinute: limits.perToken) : nil
    }

    /// Counts a request of a party.
    ///
    /// - Parameters:
    ///   - counting: whether it is taken from what is left.
    ///   - standing: what was counted of the request before; afterwards the tightest of all.
    /// - Throws: `THROTTLED` where the rate is used up.
    func count(
        _ party: Party, _ counting: TokenBuckets.Counting = .ifLeft, standing: inout RateStanding?
    ) throws(ServiceError) {
        guard let (buckets, perMinute) = buckets(of: party) else { return }
        let level = buckets.take(counting, from: Self.hash(party), at: now())
        let current = RateStanding(policy: party.policy, perMinute: perMinute, level: level)
        if current.isTighter(than: standing) || level.wait != nil { standing = current }
        if let wait = level.wait { throw Self.refusal(party, perMinute, wait) }
    }

    private func buckets(of party: Party) -> (TokenBuckets, Int)? {
        switch party {
        case .address: addresses.map { ($0, limits.perAddress) }
        case .user: users.map { ($0, limits.perUser) }
        case .token, .key: tokens.map { ($0, limits.perToken) }
        }
    }

    /// Seeded again in each process, so that nobody can choose neighbours.
    private static func hash(_ party: Party) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(party)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private static func refusal(_ party: Party, _ perMinute: Int, _ wait: UInt64) -> ServiceError {
        var error = ServiceError(
            .throttled,
            "\(party.name.capitalizedFirst) may send \(perMinute) requests a minute, and has sent them.",
            remedy:
                "Wait for 'retryAfter' seconds. The server's operator sets the rates, which GET /limits shows."
        )
        error.retryAfterSeconds = Int((wait + 999_999_999) / 1_000_000_000)
        return error
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
