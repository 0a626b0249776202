import DequeModule
import RecordModel

/// What waits in memory for one zone of a webhook, in the order of the commits.
struct WebhookLane {
    private(set) var waiting: Deque<WebhookDelivery> = []
    /// Whether more changes followed than may wait: they are in the log, where the zone goes on by itself.
    private(set) var hasMore = false
    let zoneName: String

    /// The most deliveries that wait for one zone.
    static let most = 32

    /// Since when something waits, in milliseconds.
    let since: Int64

    init(zoneName: String, since: Int64) {
        self.zoneName = zoneName
        self.since = since
    }

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
