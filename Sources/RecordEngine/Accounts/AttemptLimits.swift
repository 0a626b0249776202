import Synchronization

/// How long somebody has to wait before the next attempt to sign in.
///
/// Attempts are counted for each pair of an account and an address of the network, and for each such address over all
/// accounts. Who has shown before to belong to the account (a browser that signed in to it, a session, a second step)
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

    private let entries = Mutex<[Key: Entry]>([:])
    private let most: Int

    /// Attempts of a pair that may fail before the next has to wait.
    static let freeAttempts = 3
    /// The same for an address over all accounts, since many people may share one: so many at once, and one more
    /// every ``refillOfClientMilliseconds``.
    static let freeAttemptsOfClient = 30
    /// After how long an address has one more attempt over all accounts.
    static let refillOfClientMilliseconds: Int64 = 6_000
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

    init(most: Int = 50_000) { self.most = most }

    /// Whether an attempt may be made now.
    ///
    /// It counts as one that failed until ``succeed(account:client:isKnown:)`` says otherwise: attempts at once count one
    /// after the other.
    /// - Parameters:
    ///   - account: which account is tried.
    ///   - client: who tries: an address, or a text for somebody who is known.
    ///   - isKnown: whether the client has shown to belong to the account.
    ///   - now: the time in milliseconds.
    /// - Returns: how many milliseconds to wait; 0 for none.
    func begin(account: String, client: String, isKnown: Bool = false, now: Int64) -> Int64 {
        entries.withLock { entries in
            makeRoom(&entries, now: now)
            let pair = Key(account: account, client: client, isKnown: isKnown)
            let ofClient = isKnown ? Key(account: account, isKnown: true) : Key(client: client)
            let ofAccount = Key(account: account)
            var own = current(entries[pair], now)
            if !isKnown, own.lastAt == 0,
                current(entries[ofAccount], now).failures >= Self.failuresOfAttack
            {
                own.openAt = now + Self.strangerMilliseconds
            }
            own.lastAt = now
            var shared = current(entries[ofClient], now)
            let wait = max(own.openAt, Self.opening(of: shared, isKnown)) - now
            guard wait <= 0 else {
                entries[pair] = own
                return wait
            }
            own.failures += 1
            own.openAt =
                now + Self.delay(own.failures, free: Self.freeAttempts, longest: Self.longestMilliseconds)
            entries[pair] = own
            shared.failures += 1
            shared.lastAt = now
            shared.openAt =
                isKnown
                ? now
                    + Self.delay(
                        shared.failures, free: Self.freeAttemptsOfKnown, longest: Self.longestMilliseconds)
                : max(shared.openAt, now) + Self.refillOfClientMilliseconds
            entries[ofClient] = shared
            guard !isKnown else { return 0 }
            var all = current(entries[ofAccount], now)
            all.failures += 1
            all.lastAt = now
            entries[ofAccount] = all
            return 0
        }
    }

    /// Takes back an attempt that was good.
    func succeed(account: String, client: String, isKnown: Bool = false) {
        entries.withLock { entries in
            entries[Key(account: account, client: client, isKnown: isKnown)] = nil
            guard !isKnown else {
                entries[Key(account: account, isKnown: true)] = nil
                return
            }
            for key in [Key(client: client), Key(account: account)] {
                guard var entry = entries[key], entry.failures > 0 else { continue }
                entry.failures -= 1
                entry.openAt = max(0, entry.openAt - Self.refillOfClientMilliseconds)
                entries[key] = entry
            }
        }
    }

    /// How many entries there are.
    var count: Int { entries.withLock { $0.count } }

    /// When an entry of all accounts of an address, or of all who are known to an account, lets the next attempt through. Of
    /// an address, `openAt` is when all its attempts will be there again (a token bucket kept as one time).
    private static func opening(of entry: Entry, _ isKnown: Bool) -> Int64 {
        isKnown
            ? entry.openAt
            : entry.openAt - Int64(freeAttemptsOfClient - 1) * refillOfClientMilliseconds
    }

    private static func delay(_ failures: Int, free: Int, longest: Int64) -> Int64 {
        guard failures >= free else { return 0 }
        return min(longest, 1_000 << Int64(min(failures - free, 20)))
    }

    private func current(_ entry: Entry?, _ now: Int64) -> Entry {
        guard let entry, now - entry.lastAt < Self.memoryMilliseconds else { return Entry() }
        return entry
    }

    private func makeRoom(_ entries: inout [Key: Entry], now: Int64) {
        // An attempt makes three entries at most.
        guard entries.count + 3 > most else { return }
        entries = entries.filter { now - $0.value.lastAt < Self.memoryMilliseconds }
        guard entries.count + 3 > most else { return }
        let times = entries.values.map(\.lastAt).sorted()
        let middle = times[times.count / 2]
        entries = entries.filter { $0.value.lastAt > middle }
    }
}
