import RecordModel

/// Events of one connection on their way: as many as there are leave at once.
struct LiveOutbox {
    private var events: [LiveEvent] = []
    private var bytes = 0
    private var sentAt = ContinuousClock.now

    /// How many bytes make it worth sending what there is.
    private static let fullBytes = 65_536

    var isEmpty: Bool { events.isEmpty }
    var isFull: Bool { bytes >= Self.fullBytes }

    /// Whether nothing was sent for so long, and nothing is about to be, that the client should hear something.
    var isIdle: Bool {
        events.isEmpty && ContinuousClock.now - sentAt >= .seconds(Limits.liveHeartbeatSeconds)
    }

    mutating func add(_ event: LiveEvent) {
        events.append(event)
        bytes += event.text.count
    }

    /// What there is, which leaves with it; nil for nothing.
    mutating func take() -> [LiveEvent]? {
        guard !events.isEmpty else { return nil }
        defer {
            events = []
            bytes = 0
            sentAt = .now
        }
        return events
    }
}
