import Synchronization

/// How long somebody has to wait before the next attempt to sign in.
///
/// Attempts are counted for each pair of an account and an address of the network, and for each such address, and the network
/// around it, over all accounts. Who has shown before to belong to the account (a browser that signed in to it, a session, a second step)
/// counts apart from the address: strangers who share it cannot use those attempts up. A stranger at another address
/// cannot make the account's owner wait for long either: however often an account was attacked, who comes from a new
/// address waits ``strangerMilliseconds`` at most, once. What is remembered is bounded; the oldest goes first.
final class AttemptLimits: Sendable {
    private struct Key: Hashable {
        /// Nil for all accounts together.
        var account: String?
        /// Nil for all addresses together.
        var client: String?
        /// Whether the client is a text for somebody who belongs to the account.
        var isKnown = false
    }

    private struct Entry {
        var failures = 0
        var openAt: Int64 = 0
        var lastAt: Int64 = 0
    }

    /// What all who try from somewhere share: so many attempts at once, and one more every so often.
    private struct Bucket {
        var key: Key
        var free: Int
        var refill: Int64

        /// When an entry lets the next attempt through. Its `openAt` is when all attempts will be there again (a token bucket kept as
        /// one time).
        func opening(_ entry: Entry) -> Int64 { entry.openAt - Int64(free - 1) * refill }

        static func all(of client: String, in network: String?) -> [Bucket] {
            let own = Bucket(
                key: Key(client: client), free: freeAttemptsOfClient, refill: refillOfClientMilliseconds)
            guard let network, network != client else { return [own] }
            let around = Bucket(
                key: Key(client: "network \(network)"), free: freeAttemptsOfNetwork,
                refill: refillOfNetworkMilliseconds)
            return [own, around]
        }
    }

    private let entries = Mutex<[Key: Entry]>([:])
    private let most: Int

    /// Attempts of a pair that may fail before the next has to wait.
    static let freeAttempts = 3
    /// The same for an address over all accounts, since many people may share one: so many at once, and one more
    /// every ``refillOfClientMilliseconds``.
    static let freeAttemptsOfClient = 30
    /// After how long an address has one more attempt over all accounts.
    static let refillOfClientMilliseconds: Int64 = 6_000
    /// The same for a network, of which somebody may have all addresses, 65,536 of IPv6: or three attempts of each were many.
    static let freeAttemptsOfNetwork = 300
    /// After how long a network has one more attempt over all accounts.
    static let refillOfNetworkMilliseconds: Int64 = 600
    /// The same for all browsers together that an account is known by: who had the password before may have many.
    static let freeAttemptsOfKnown = 30
    /// Failures of an account from everywhere after which new addresses have to wait.
    static let failuresOfAttack = 50
    /// The longest wait, in milliseconds.
    static let longestMilliseconds: Int64 = 15 * 60_000
    /// How long who comes from a new address waits once, while the account is attacked.
    static let strangerMilliseconds: Int64 = 10_000
    /// After how long without a failure all is forgotten.
    static let memoryMilliseconds: Int64 = 24 * 3_600_000

    /// The most entries that an attempt makes: of the pair, its address, its network and its account.
    static let entriesOfAttempt = 4

    init(most: Int = 50_000) { self.most = most }

    /// Whether an attempt may be made now.
    ///
    /// It counts as one that failed until ``succeed(account:client:isKnown:)`` says otherwise: attempts at once count one
    /// after the other.
    /// - Parameters:
    ///   - account: which account is tried.
    ///   - client: who tries: an address, or a text for somebody who is known.
    ///   - network: the network around the address; nil for none, and for who is known.
    ///   - isKnown: whether the client has shown to belong to the account.
    ///   - now: the time in milliseconds.
    /// - Returns: how many milliseconds to wait; 0 for none.
    func begin(
        account: String, client: String, in network: String? = nil, isKnown: Bool = false, now: Int64
    ) -> Int64 {
        entries.withLock { entries in
            makeRoom(&entries, now: now)
            let pair = Key(account: account, client: client, isKnown: isKnown)
            let ofKnown = Key(account: account, isKnown: true)
            let ofAccount = Key(account: account)
            let buckets = isKnown ? [] : Bucket.all(of: client, in: network)
            var own = current(entries[pair], now)
            if !isKnown, own.lastAt == 0,
                current(entries[ofAccount], now).failures >= Self.failuresOfAttack
            {
                own.openAt = now + Self.strangerMilliseconds
            }
            own.lastAt = now
            let shared =
                isKnown
                ? [current(entries[ofKnown], now).openAt]
                : buckets.map { $0.opening(current(entries[$0.key], now)) }
            let wait = shared.reduce(own.openAt, max) - now
            guard wait <= 0 else {
                entries[pair] = own
                return wait
            }
            own.failures += 1
            own.openAt = now + Self.delay(own.failures, free: Self.freeAttempts)
            entries[pair] = own
            for key in buckets.map(\.key) + [isKnown ? ofKnown : ofAccount] {
                var entry = current(entries[key], now)
                entry.failures += 1
                entry.lastAt = now
                if key == ofKnown {
                    entry.openAt = now + Self.delay(entry.failures, free: Self.freeAttemptsOfKnown)
                }
                entries[key] = entry
            }
            for bucket in buckets {
                let open = entries[bucket.key]?.openAt ?? 0
                entries[bucket.key]?.openAt = max(open, now) + bucket.refill
            }
            return 0
        }
    }

    /// Takes back an attempt that was good.
    func succeed(account: String, client: String, in network: String? = nil, isKnown: Bool = false) {
        entries.withLock { entries in
            entries[Key(account: account, client: client, isKnown: isKnown)] = nil
            guard !isKnown else {
                entries[Key(account: account, isKnown: true)] = nil
                return
            }
            for bucket in Bucket.all(of: client, in: network) {
                Self.takeBack(bucket.refill, of: bucket.key, &entries)
            }
            Self.takeBack(0, of: Key(account: account), &entries)
        }
    }

    private static func takeBack(_ refill: Int64, of key: Key, _ entries: inout [Key: Entry]) {
        guard var entry = entries[key], entry.failures > 0 else { return }
        entry.failures -= 1
        entry.openAt = max(0, entry.openAt - refill)
        entries[key] = entry
    }

    /// How many entries there are.
    var count: Int { entries.withLock { $0.count } }

    private static func delay(_ failures: Int, free: Int) -> Int64 {
        guard failures >= free else { return 0 }
        return min(longestMilliseconds, 1_000 << Int64(min(failures - free, 20)))
    }

    private func current(_ entry: Entry?, _ now: Int64) -> Entry {
        guard let entry, now - entry.lastAt < Self.memoryMilliseconds else { return Entry() }
        return entry
    }

    private func makeRoom(_ entries: inout [Key: Entry], now: Int64) {
        guard entries.count + Self.entriesOfAttempt > most else { return }
        entries = entries.filter { now - $0.value.lastAt < Self.memoryMilliseconds }
        guard entries.count + Self.entriesOfAttempt > most else { return }
        let times = entries.values.map(\.lastAt).sorted()
        let middle = times[times.count / 2]
        entries = entries.filter { $0.value.lastAt > middle }
    }
}
