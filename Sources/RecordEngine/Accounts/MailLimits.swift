import RecordModel
import Synchronization

/// How many mails somebody may have sent: few to one address, and not very many from one address of the network.
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
    static let windowMilliseconds: Int64 = 3_600_000
    private static let mostCounts = 20_000

    /// Whether a client may ask for one more.
    func admit(from client: String, now: Int64) -> Bool { take("from \(client)", Self.mostFromClient, now) }

    /// Whether one more may go to an address for an app, so that who asks for mails on another app's page uses up none.
    func admit(to address: MailAddress, of tenant: Tenant, now: Int64) -> Bool {
        take("to \(tenant) \(address)", Self.mostToAddress, now)
            && take("to \(address)", Self.mostToAddressOfAll, now)
    }

    private func take(_ key: String, _ most: Int, _ now: Int64) -> Bool {
        counts.withLock { counts in
            if counts.count >= Self.mostCounts {
                counts = counts.filter { now - $0.value.since < Self.windowMilliseconds }
                if counts.count >= Self.mostCounts { counts.removeAll() }
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

/// Mails that are written and sent after their requests were answered: only so many at once.
final class PendingMails: Sendable {
    private let count = Mutex(0)
    static let most = 256

    /// Does something later, unless too much waits.
    ///
    /// - Returns: whether it will be done.
    func run(_ work: @escaping @Sendable () async -> Void) -> Bool {
        let isTaken = count.withLock { count in
            guard count < Self.most else { return false }
            count += 1
            return true
        }
        guard isTaken else { return false }
        Task { [self] in
            await work()
            count.withLock { $0 -= 1 }
        }
        return true
    }
}
