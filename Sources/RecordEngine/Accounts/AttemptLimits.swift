import Synchronization

/// How long somebody has to wait before the next attempt to sign in.
///
/// Attempts are counted for each pair of an account and an address of the network, and for each such address over all
/// accounts. A stranger at another address cannot make the account's owner wait for long: however often an account was
/// attacked, who comes from a new address waits ``strangerMilliseconds`` at most, once, and then has attempts of
/// their own. What is remembered is bounded; the oldest goes first.
final class AttemptLimits: Sendable {
    private struct Key: Hashable {
        /// Nil for all accounts together.
        var account: String?
        /// Nil for all addresses together.
        var client: String?
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
    /// The same for an address over all accounts: many people may share one.
    static let freeAttemptsOfClient = 30
    /// Failures of an account from everywhere after which new addresses have to wait.
    static let failuresOfAttack = 50
    /// The longest wait, in milliseconds.
    static let longestMilliseconds: Int64 = 15 * 60_000
    /// The longest wait of an address over all accounts: others share it.
    static let longestOfClientMilliseconds: Int64 = 60_000
    /// How long who comes from a new address waits once, while the account is attacked.
    static let strangerMilliseconds: Int64 = 10_000
    /// After how long without a failure all is forgotten.
    static let memoryMilliseconds: Int64 = 24 * 3_600_000

    init(most: Int = 50_000) { self.most = most }

    /// Whether an attempt may be made now.
    ///
    /// It counts as one that failed until ``succeed(account:client:)`` says otherwise: attempts at once count one after
    /// the other.
    /// - Returns: how many milliseconds to wait; 0 for none.
    func begin(account: String, client: String, now: Int64) -> Int64 {
        entries.withLock { entries in
            let pair = Key(account: account, client: client)
            let ofClient = Key(account: nil, client: client)
            let ofAccount = Key(account: account, client: nil)
            makeRoom(&entries, now: now)
            var own = current(entries[pair], now)
            if own.lastAt == 0, current(entries[ofAccount], now).failures >= Self.failuresOfAttack {
                own.openAt = now + Self.strangerMilliseconds
            }
            own.lastAt = now
            let wait = max(own.openAt, current(entries[ofClient], now).openAt) - now
            guard wait <= 0 else {
                entries[pair] = own
                return wait
            }
            own.failures += 1
            own.openAt =
                now + Self.delay(own.failures, free: Self.freeAttempts, longest: Self.longestMilliseconds)
            entries[pair] = own
            var client = current(entries[ofClient], now)
            client.failures += 1
            client.lastAt = now
            client.openAt =
                now
                + Self.delay(
                    client.failures, free: Self.freeAttemptsOfClient,
                    longest: Self.longestOfClientMilliseconds)
            entries[ofClient] = client
            var account = current(entries[ofAccount], now)
            account.failures += 1
            account.lastAt = now
            entries[ofAccount] = account
            return 0
        }
    }

    /// Takes back an attempt that was good.
    func succeed(account: String, client: String) {
        entries.withLock { entries in
            entries[Key(account: account, client: client)] = nil
            for key in [Key(account: nil, client: client), Key(account: account, client: nil)] {
                guard var entry = entries[key], entry.failures > 0 else { continue }
                entry.failures -= 1
                if entry.failures < Self.freeAttemptsOfClient { entry.openAt = 0 }
                entries[key] = entry
            }
        }
    }

    /// How many entries there are.
    var count: Int { entries.withLock { $0.count } }

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
