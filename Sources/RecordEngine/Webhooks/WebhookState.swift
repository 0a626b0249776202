public import RecordWire

/// What became of a webhook's deliveries, as its row keeps it and operators see it.
public struct WebhookState: Sendable {
    /// A zone whose next delivery has not been taken, so that those after it wait.
    public struct HeldZone: Sendable {
        /// What waits.
        public var lane: WebhookLaneKey
        /// The name of the zone; empty where all zones wait.
        public var zoneName: String { lane.zoneName }
        /// The sequence number up to which its changes were taken.
        public var cursor: Int64
        /// How often the delivery was tried; 0 where the zone only has more changes than wait in memory.
        public var attempts = 0
        /// When it was tried first, and when it is due again, in milliseconds.
        public var failedSince: Int64?
        public var dueAt: Int64
        /// Whether it was tried for long enough: an operator has to ask for it.
        public var isParked = false
        /// What the receiver said last.
        public var answer = ""
    }

    /// A delivery that was tried.
    public struct Attempt: Sendable {
        /// When, in milliseconds.
        public var at: Int64
        /// The sequence number of the change, and what was told of it.
        public var change: Int64
        public var reason: String
        /// The names of the zone and of the record.
        public var zoneName: String
        public var name: String
        /// Whether the receiver took it.
        public var isTaken: Bool
        /// Its answer.
        public var answer: String
        /// How long it took.
        public var milliseconds: Int
    }

    /// How many attempts are remembered, the newest.
    static let attemptsKept = 50
    /// The most characters of an answer that are kept.
    static let answerCharacters = 200

    /// The zones that are held back.
    public var held: [WebhookLaneKey: HeldZone] = [:]
    /// What was tried lately, the oldest first.
    public var attempts: [Attempt] = []
    /// How many deliveries were taken and how many attempts failed in all.
    public var taken = 0
    public var failed = 0
    /// When an operator last asked for what is held back, as far as that was followed, in milliseconds.
    var sentAgainAt: Int64 = 0

    /// Nothing has happened.
    public init() {}

    /// How many zones wait for an operator.
    public var parkedCount: Int { held.values.count { $0.isParked } }

    mutating func note(_ attempt: Attempt) {
        if attempt.isTaken { taken += 1 } else { failed += 1 }
        attempts.append(attempt)
        if attempts.count > Self.attemptsKept { attempts.removeFirst(attempts.count - Self.attemptsKept) }
    }

    // MARK: As bytes

    /// Reads what ``json`` gave.
    ///
    /// - Throws: `JSONError` for other bytes.
    public init(json bytes: [UInt8]) throws(JSONError) {
        guard !bytes.isEmpty else { return }
        let json = try JSONReader.read(bytes).object ?? JSONObject()
        taken = try json.int("taken") ?? 0
        failed = try json.int("failed") ?? 0
        sentAgainAt = Int64(try json.int("sentAgainAt") ?? 0)
        for object in try json.objects("held") {
            let zone = try HeldZone(
                lane: WebhookLaneKey(
                    stored: Int64(object.int("zone") ?? 0), zoneName: object.string("zoneName") ?? ""),
                cursor: Int64(object.int("cursor") ?? 0), attempts: object.int("attempts") ?? 0,
                failedSince: object.int("failedSince").map { Int64($0) },
                dueAt: Int64(object.int("dueAt") ?? 0),
                isParked: object.bool("parked") ?? false, answer: object.string("answer") ?? "")
            // Before lanes went by name, two zones in a row could have the same one: the older goes first.
            if let other = held[zone.lane], other.cursor <= zone.cursor { continue }
            held[zone.lane] = zone
        }
        for object in try json.objects("attempts") {
            attempts.append(
                try Attempt(
                    at: Int64(object.int("at") ?? 0), change: Int64(object.int("change") ?? 0),
                    reason: object.string("reason") ?? "", zoneName: object.string("zoneName") ?? "",
                    name: object.string("name") ?? "", isTaken: object.bool("taken") ?? false,
                    answer: object.string("answer") ?? "", milliseconds: object.int("milliseconds") ?? 0))
        }
    }

    /// The state as bytes.
    public var json: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writeMembers(to: &writer)
            writer.endObject()
        }
    }

    /// Writes the members of the state.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("taken", taken)
        writer.member("failed", failed)
        writer.member("sentAgainAt", sentAgainAt)
        writer.key("held")
        writer.beginArray()
        for zone in held.values.sorted(by: { $0.lane < $1.lane }) {
            writer.beginObject()
            writer.member("zone", zone.lane.stored)
            writer.member("zoneName", zone.zoneName)
            writer.member("cursor", zone.cursor)
            writer.member("attempts", zone.attempts)
            writer.member("failedSince", zone.failedSince)
            writer.member("dueAt", zone.dueAt)
            writer.member("parked", zone.isParked)
            writer.member("answer", zone.answer)
            writer.endObject()
        }
        writer.endArray()
        writer.key("attempts")
        writer.beginArray()
        for attempt in attempts {
            writer.beginObject()
            writer.member("at", attempt.at)
            writer.member("change", attempt.change)
            writer.member("reason", attempt.reason)
            writer.member("zoneName", attempt.zoneName)
            writer.member("name", attempt.name)
            writer.member("taken", attempt.isTaken)
            writer.member("answer", attempt.answer)
            writer.member("milliseconds", attempt.milliseconds)
            writer.endObject()
        }
        writer.endArray()
    }
}
