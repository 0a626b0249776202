import RecordModel
import Synchronization

/// How many mails somebody may have sent: few to one mail address, and a limited number from one network address.
///
/// Who asks for too many to one address is told nothing, since that would tell of others' requests.
final class MailLimits: Sendable {
    private struct Count {
        var mails = 0
        var since: Int64 = 0
    }

    private let counts = Mutex<[String: Count]>([:])

    /// The most mails to one address for one app within ``windowMilliseconds``.
    static let mostToAddress = 5
    /// The most to one address for all apps in that time.
    static let mostToAddressOfAll = 25
    /// The most that one address of the network may ask for in that time.
    static let mostFromClient = 50
    /// The same for all addresses of a network.
    static let mostFromNetwork = 250
    static let windowMilliseconds: Int64 = 3_600_000
    private static let mostCounts = 20_000

    /// Whether a client may ask for one more. What all addresses of its network ask for is bounded as well, first of all: who has
    /// 65,536 of them would make as many counts, too.
    func admit(from client: Accounts.Client, now: Int64) -> Bool {
        take("from network \(client.network)", Self.mostFromNetwork, now)
            && take("from \(client.address)", Self.mostFromClient, now)
    }

    /// Whether one more may go to an address for an app, so that who asks for mails on another app's page uses up none.
    func admit(to address: MailAddress, of tenant: Tenant, now: Int64) -> Bool {
        take("to \(tenant) \(address)", Self.mostToAddress, now)
            && take("to \(address)", Self.mostToAddressOfAll, now)
    }

    /// The half that began last.
    private static func newer(_ counts: [String: Count]) -> [String: Count] {
        let times = counts.values.map(\.since).sorted()
        let middle = times[times.count / 2]
        return counts.filter { $0.value.since > middle }
    }

    private func take(_ key: String, _ most: Int, _ now: Int64) -> Bool {
        counts.withLock { counts in
            if counts.count >= Self.mostCounts {
                counts = counts.filter { now - $0.value.since < Self.windowMilliseconds }
                if counts.count >= Self.mostCounts { counts = Self.newer(counts) }
            }
            var count = counts[key] ?? Count(since: now)
            if now - count.since >= Self.windowMilliseconds { count = Count(since: now) }
            guard count.mails < most else { return false }
            count.mails += 1
            counts[key] = count
            return true
        }
    }
}

/// Mails that are written and sent after their requests were answered: only so many at once, and fewer of one network.
final class PendingMails: Sendable {
    private struct State {
        var count = 0
        var networks: [String: Int] = [:]
    }

    private let state = Mutex(State())
    static let most = 256
    static let mostOfNetwork = 64

    /// Whether nothing waits.
    var isIdle: Bool { state.withLock { $0.count == 0 } }

    /// Does something later, unless too much waits.
    ///
    /// - Parameter network: who asked for it; nil for somebody who proved to be the account's owner.
    /// - Returns: whether it will be done.
    func run(for network: String? = nil, _ work: @escaping @Sendable () async -> Void) -> Bool {
        let isTaken = state.withLock { state in
            let own = network.map { state.networks[$0, default: 0] } ?? 0
            guard state.count < Self.most, own < Self.mostOfNetwork else { return false }
            state.count += 1
            if let network { state.networks[network] = own + 1 }
            return true
        }
        guard isTaken else { return false }
        Task { [self] in
            await work()
            state.withLock { state in
                state.count -= 1
                guard let network, let own = state.networks[network] else { return }
                state.networks[network] = own > 1 ? own - 1 : nil
            }
        }
        return true
    }
}
