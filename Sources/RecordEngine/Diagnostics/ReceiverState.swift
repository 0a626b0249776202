public import RecordWire

/// What became of the notifications of a receiver, as its row keeps it and operators see it.
public struct ReceiverState: Hashable, Sendable {
    /// A notification that was handed over, or that was tried.
    public struct Attempt: Hashable, Sendable {
        /// When, in milliseconds.
        public var at: Int64
        /// The sequence number of the change; 0 for a test.
        public var change: Int64
        /// Whether it was taken.
        public var isTaken: Bool
        /// What was answered, in words; empty where a client asked for it.
        public var answer: String
        /// Whether it was refused for good, so that it is not tried again.
        public var isLeftOut = false
        /// When it is tried again, where it was not taken; the state has it, not the attempt.
        var dueAt: Int64 = 0
    }

    /// How many attempts are remembered, the newest.
    static let attemptsKept = 10
    /// The most characters of an answer that are kept.
    static let answerCharacters = 200

    /// What was tried lately, the oldest first.
    public var attempts: [Attempt] = []
    /// How many were taken, and how many attempts failed.
    public var taken = 0
    public var failed = 0
    /// How often the next one was tried, since when, and when it is due again, in milliseconds.
    public var tries = 0
    public var failedSince: Int64?
    public var dueAt: Int64 = 0
    /// For how long nothing came after what the client named; nil where it names nothing. Nobody is shown it.
    var quiet: QuietStretch?

    /// Nothing has happened.
    public init() {}

    /// The last one that was taken.
    public var lastTaken: Attempt? { attempts.last(where: \.isTaken) }
    /// What was answered last, where the next one was not taken.
    public var lastError: String? {
        tries > 0 ? attempts.last.flatMap { $0.isTaken ? nil : $0.answer } : nil
    }

    mutating func note(_ attempt: Attempt) {
        if attempt.isTaken {
            taken += 1
            (tries, failedSince, dueAt) = (0, nil, 0)
        } else if attempt.isLeftOut {
            failed += 1
            (tries, failedSince, dueAt) = (0, nil, 0)
        } else {
            failed += 1
            tries += 1
            failedSince = failedSince ?? attempt.at
            dueAt = attempt.dueAt
        }
        attempts.append(attempt)
        guard attempts.count > Self.attemptsKept else { return }
        // The last one that was taken is seen for as long as nothing else is.
        let kept = attempts.last(where: \.isTaken)
        attempts.removeFirst(attempts.count - Self.attemptsKept)
        if let kept, !attempts.contains(where: \.isTaken) { attempts[0] = kept }
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
        tries = try json.int("tries") ?? 0
        failedSince = try json.int("failedSince").map { Int64($0) }
        dueAt = Int64(try json.int("dueAt") ?? 0)
        if let after = try json.string("quietAfter").flatMap({ NotificationPlace(id: $0) }),
            let upTo = try json.string("quietUpTo").flatMap({ NotificationPlace(id: $0) })
        {
            quiet = QuietStretch(after: after, upTo: upTo)
        }
        for object in try json.objects("attempts") {
            attempts.append(
                try Attempt(
                    at: Int64(object.int("at") ?? 0), change: Int64(object.int("change") ?? 0),
                    isTaken: object.bool("taken") ?? false, answer: object.string("answer") ?? "",
                    isLeftOut: object.bool("leftOut") ?? false))
        }
    }

    /// The state as bytes.
    public var json: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writeMembers(to: &writer)
            writer.member("quietAfter", quiet?.after.id)
            writer.member("quietUpTo", quiet?.upTo.id)
            writer.endObject()
        }
    }

    /// Writes the members of the state.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("taken", taken)
        writer.member("failed", failed)
        writer.member("tries", tries)
        writer.member("failedSince", failedSince)
        writer.member("dueAt", dueAt)
        writer.key("attempts")
        writer.beginArray()
        for attempt in attempts {
            writer.beginObject()
            writer.member("at", attempt.at)
            writer.member("change", attempt.change)
            writer.member("taken", attempt.isTaken)
            writer.member("answer", attempt.answer)
            if attempt.isLeftOut { writer.member("leftOut", true) }
            writer.endObject()
        }
        writer.endArray()
    }
}
