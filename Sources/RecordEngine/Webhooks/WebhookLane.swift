import DequeModule
import RecordModel
import RecordStorage

/// What waits in memory for one zone of a webhook, in the order of the commits.
struct WebhookLane {
    private(set) var waiting: Deque<WebhookDelivery> = []
    /// Whether more changes followed than may wait: they are in the log, where the zone goes on by itself.
    private(set) var hasMore = false

    /// The most deliveries that wait for one zone.
    static let most = 32

    /// Since when something waits, in milliseconds.
    let since: Int64

    init(since: Int64) { self.since = since }

    var first: WebhookDelivery? { waiting.first }

    /// The sequence number up to which all was taken; nil where nothing waits.
    var cursor: Int64? { waiting.first.map { $0.sequence - 1 } }

    /// Adds a delivery, as long as there is room for all of them.
    ///
    /// - Returns: the bytes that it takes.
    mutating func add(_ delivery: WebhookDelivery) -> Int {
        assert((waiting.last?.sequence ?? 0) < delivery.sequence, "A zone's changes follow each other.")
        guard !hasMore, waiting.count < Self.most else {
            hasMore = true
            return 0
        }
        waiting.append(delivery)
        return delivery.body.count
    }

    mutating func removeFirst() -> Int { waiting.removeFirst().body.count }

    var bytes: Int { waiting.reduce(0) { $0 + $1.body.count } }
}

/// What is told in order: the changes of zones that have had the same name, one after the other, since receivers know
/// names only.
public enum WebhookLaneKey: Hashable, Comparable, Sendable {
    /// What is to be told is about all zones: changes are gone from the log.
    case everything
    /// Something that is about all zones, a type that went: it waits for what came before it, and what comes after it waits.
    case allZones
    /// Zones of a name.
    case zone(String)

    /// The lane of a change.
    init(of change: LoggedChange) {
        self = change.kind == .typeDeleted || change.zoneName.isEmpty ? .allZones : .zone(change.zoneName)
    }

    /// Reads what ``stored`` and ``zoneName`` gave.
    init(stored number: Int64, zoneName: String) {
        self = number < 0 ? .everything : zoneName.isEmpty ? .allZones : .zone(zoneName)
    }

    /// The name of the zone; empty where it is about all zones.
    var zoneName: String { if case .zone(let name) = self { name } else { "" } }

    /// -1 for everything, and 0 or more for the rest, as states have it.
    var stored: Int64 { self == .everything ? -1 : 0 }
}

/// How long a delivery waits until it is tried again.
enum WebhookDelay {
    private static let first: Int64 = 1_000
    private static let longest: Int64 = 3_600_000

    /// In milliseconds: twice as long each time, up to an hour, and up to a quarter more or less by chance, so that
    /// many do not come back at once.
    static func milliseconds(attempts: Int, random: UInt8) -> Int64 {
        let usual = min(longest, first << Int64(min(max(attempts, 1) - 1, 20)))
        return usual * (192 + Int64(random) / 2) / 256
    }
}

/// So many deliveries of all webhooks, or pushes, at once; further ones wait in the order in which they came.
actor WebhookSlots {
    private var free: Int
    private var waiting: Deque<CheckedContinuation<Void, Never>> = []

    init(_ count: Int) { free = count }

    func take() async {
        if free > 0 {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func giveBack() {
        if let next = waiting.popFirst() { next.resume() } else { free += 1 }
    }
}
