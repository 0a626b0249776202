public import RecordModel
import RecordStorage

/// One notification on its way to a receiver.
public struct CourierNotification: Sendable {
    /// The payload, a JSON object.
    public let json: [UInt8]
    let digest: [UInt8]
    let place: NotificationPlace
    let handover: Handover
}

extension RecordService {
    /// How long a poll waits for what becomes of the notification before. A client that takes it so slowly is told it again.
    private static let handoverPatience = Duration.seconds(30)

    /// Waits for the next notification of a receiver.
    ///
    /// - Parameters:
    ///   - token: the receiver's token, which is the right to its notifications.
    ///   - last: the id (`ck.nid`) of the last notification that the client is done with; nil for the last one that was
    ///     noted with ``noteDelivered(_:)``.
    ///   - seconds: how long to wait.
    /// - Returns: nil where none came in time. Whoever holds the notification keeps the receiver's next poll waiting, for half a
    ///   minute at most, until it was noted with ``noteDelivered(_:)`` or let go of.
    /// - Throws: `NOT_FOUND` for an unknown receiver; `THROTTLED` where too many wait.
    public func nextNotification(
        ofReceiver token: String, after last: String? = nil,
        seconds: Int = Limits.notificationPollSeconds
    ) async throws -> CourierNotification? {
        let digest = AccessToken.digest(token)
        let end = ContinuousClock.now + .seconds(seconds)
        if last == nil {
            await desk.handovers.wait(for: digest, until: min(end, .now + Self.handoverPatience))
        }
        guard let row = try await store.read(.short, { try $0.receiver(digest: digest) }) else {
            throw ServiceError.noReceiver
        }
        var place = NotificationPlace(endOf: row.cursor)
        var asked: NotificationPlace?
        if let last {
            guard let named = NotificationPlace(id: last) else {
                throw ServiceError(.badRequest, "'after' must be the id of a notification: its 'nid'.")
            }
            asked = named
            place = desk.start(after: named, of: row)
        } else if let known = desk.place(of: digest) {
            place = max(place, known)
        }
        while true {
            let poll = try await CourierPoll(service: self, row: row, place: place)
            switch try await poll.run(until: end) {
            case .found(let json, let place, _):
                return CourierNotification(
                    json: json, digest: digest, place: place, handover: desk.handovers.begin(digest))
            case .nothing(let last):
                if let asked {
                    desk.set(QuietStretch(after: asked, upTo: last), of: digest)
                } else {
                    desk.set(last, of: digest)
                }
                return nil
            case .again(let last): place = last
            }
        }
    }

    /// Notes that a notification has left for its receiver, so that the next one follows.
    public func noteDelivered(_ notification: CourierNotification) {
        desk.set(notification.place, of: notification.digest, isDelivery: true)
        notification.handover.end()
    }

    /// Ends what waits for changes and takes no more of it: the server stops.
    public func drainReceivers() async {
        await hub.drain()
        conditions.stop()
        desk.handovers.stop()
        await desk.save()
    }
}

extension RecordService {
    /// How many long polls and live queries wait for changes.
    public var receiverCount: Int { get async { await hub.count } }
}
