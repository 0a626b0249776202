import RecordModel
import Synchronization

/// How many people or links each user may look for: enough for an address book, too few to try them one by one.
final class DiscoveryLimits: Sendable {
    private struct User: Hashable {
        /// Nil for an address, which is the same in all containers.
        var tenant: Tenant?
        var name: String
    }

    private struct Count {
        var lookups = 0
        var since: Int64
    }

    private let counts = Mutex<[User: Count]>([:])

    private static let windowMilliseconds: Int64 = 3_600_000
    private static let mostCounts = 20_000

    private let most: Int
    private let what: String

    /// - Parameters:
    ///   - most: how many each user may look for within an hour.
    ///   - what: what is looked for, in the plural.
    init(most: Int, of what: String) {
        self.most = most
        self.what = what
    }

    /// Counts what a user looks for.
    ///
    /// - Throws: `THROTTLED` where they are too many within an hour; then none of them counts.
    func take(_ lookups: Int, of name: String, in tenant: Tenant?, now: Int64) throws(ServiceError) {
        let wait: Int64? = counts.withLock { counts in
            if counts.count >= Self.mostCounts {
                counts = counts.filter { now - $0.value.since < Self.windowMilliseconds }
                if counts.count >= Self.mostCounts { counts.removeAll() }
            }
            let user = User(tenant: tenant, name: name)
            var count = counts[user] ?? Count(since: now)
            if now - count.since >= Self.windowMilliseconds { count = Count(since: now) }
            guard count.lookups + lookups <= most else {
                return count.since + Self.windowMilliseconds - now
            }
            count.lookups += lookups
            counts[user] = count
            return nil
        }
        guard let wait else { return }
        var error = ServiceError(
            .throttled, "A user may look for \(most) \(what) an hour.",
            remedy: "Wait for 'retryAfter' seconds, and cache the results.")
        error.retryAfterSeconds = Int((wait + 999) / 1_000)
        throw error
    }
}
