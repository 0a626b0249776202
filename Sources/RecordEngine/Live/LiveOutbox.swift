import RecordModel

/// Events of one connection on their way: as many as there are leave at once.
struct LiveOutbox {
    private var events: [LiveEvent] = []
    private var bytes = 0
    private var sentAt = ContinuousClock.now

    /// How many bytes make it worth sending what there is.
    private static let fullBytes = 65_536

    var isFull: Bool { bytes >= Self.fullBytes }

    /// Whether nothing was sent for so long, and nothing is about to be, that the client should hear something.
    var isIdle: Bool {
        events.isEmpty && ContinuousClock.now - sentAt >= .seconds(Limits.liveHeartbeatSeconds)
    }

    mutating func add(_ event: LiveEvent) {
        events.append(event)
        bytes += event.text.count
    }

    /// Sends what there is, if there is anything.
    mutating func flush(_ send: ([LiveEvent]) async throws -> Void) async throws {
        guard !events.isEmpty else { return }
        let sent = events
        events = []
        bytes = 0
        try await send(sent)
        sentAt = .now
    }
}
