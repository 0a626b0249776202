import HummingbirdCore
import NIOCore
import RecordEngine
import RecordModel
import Synchronization

/// The large answers that clients have not taken yet, and the bytes that they may take in all.
///
/// When these are used up, requests wait before their answers are made, and the slowest taker is cut off once it had
/// its time: whoever asks for much and reads little would otherwise hold memory for as long as it likes. Who holds no
/// large answer does not wait for those of others, up to ``newcomersFactor`` times as many bytes.
final class OutgoingAnswers: Sendable {
    private struct Taker {
        var channel: any Channel
        var start: ContinuousClock.Instant
        var pace: Pace
        var bytes: Int
    }

    private struct State {
        var next: UInt64 = 0
        var takers: [UInt64: Taker] = [:]
        /// How many large answers each party has, made or on their way.
        var holders: [RequestShares.Party: Int] = [:]
        var cutOff = 0

        mutating func add(_ count: Int, to party: RequestShares.Party?) {
            guard let party else { return }
            let sum = holders[party, default: 0] + count
            assert(sum >= 0, "a party gives up no more answers than it has")
            holders[party] = sum == 0 ? nil : sum
        }
    }

    private let budget: ByteBudget
    private let grace: Duration
    private let state = Mutex(State())

    /// Answers up to this length are not counted; a connection has one of them at a time.
    static let smallBytes = 65_536
    /// How many times the capacity may be used before those wait, too, who hold nothing of it.
    static let newcomersFactor = 3
    /// What has to be free for a request to be worked on.
    private static let roomBytes = 262_144
    /// What is written at once.
    private static let pieceBytes = 262_144
    /// What is kept back to see that the rest was taken.
    private static let lastBytes = 4_096

    init(
        capacity: Int = Limits.heldAnswerBytes, grace: Duration = .seconds(Limits.answerGraceSeconds),
        patience: Duration = .seconds(Limits.roomSeconds)
    ) {
        budget = ByteBudget(capacity: capacity, patience: patience)
        self.grace = grace
    }

    /// The bytes that wait for clients.
    var held: Int { budget.used }

    /// How many clients were cut off to make room.
    var cutOff: Int { state.withLock { $0.cutOff } }

    /// Waits until there is room for another answer.
    ///
    /// - Parameter party: the user, or the app where nobody is signed in.
    /// - Throws: `TRY_AGAIN_LATER` when there was none for too long; `CancellationError`.
    func waitForRoom(for party: RequestShares.Party? = nil) async throws {
        if isNewcomer(party) { return }
        if budget.used + Self.roomBytes > budget.capacity { cutSlow(atLeast: Self.roomBytes) }
        try await budget.enter(room: min(Self.roomBytes, budget.capacity), taking: 0)
    }

    /// Whether somebody holds no large answer, and so need not wait for others yet.
    private func isNewcomer(_ party: RequestShares.Party?) -> Bool {
        guard let party, budget.used + Self.roomBytes <= budget.capacity * Self.newcomersFactor else {
            return false
        }
        return state.withLock { $0.holders[party] == nil }
    }

    /// Whether another answer may be made at this moment.
    private func hasRoom(for party: RequestShares.Party?) -> Bool {
        let used = budget.used
        return used == 0 || used + Self.roomBytes <= budget.capacity || isNewcomer(party)
    }

    /// The room of a request that is about to be answered.
    ///
    /// Whoever has it ends it when the answer has its ``body(_:to:of:)``, which counts from then on, or is given up.
    func making(for party: RequestShares.Party?) -> Making { Making(self, party) }

    /// The bytes of one answer from the moment it is made until it is on its way.
    final class Making: AnswerRoom {
        private let answers: OutgoingAnswers
        private let party: RequestShares.Party?
        private let state = Mutex((bytes: 0, isOver: false))

        fileprivate init(_ answers: OutgoingAnswers, _ party: RequestShares.Party?) {
            self.answers = answers
            self.party = party
        }

        deinit { end() }

        /// Tasks that outlive the request find it over, and are not held up.
        var isFree: Bool { answers.hasRoom(for: party) || state.withLock { $0.isOver } }

        func wait() async throws { try await answers.waitForRoom(for: party) }

        func hold(_ bytes: Int) {
            guard bytes > OutgoingAnswers.smallBytes else { return }
            state.withLock { state in
                guard !state.isOver else { return }
                if state.bytes == 0 { answers.state.withLock { $0.add(1, to: party) } }
                state.bytes += bytes
                answers.budget.add(bytes)
            }
        }

        /// Gives back what is counted. Does nothing the second time.
        func end() {
            let bytes = state.withLock { state in
                defer { state = (0, true) }
                return state.bytes
            }
            guard bytes > 0 else { return }
            answers.state.withLock { $0.add(-1, to: party) }
            answers.budget.give(bytes)
        }
    }

    /// Cuts off the slowest of those that had their time, as far as others wait for what they hold.
    func cutSlow() {
        let waiting = budget.waiting
        if waiting > 0 { cutSlow(atLeast: waiting * Self.roomBytes) }
    }

    private func cutSlow(atLeast wanted: Int) {
        let now = ContinuousClock.now
        let slow = state.withLock { state in
            var rest = wanted
            var slow: [any Channel] = []
            let old = state.takers.filter { now - $0.value.start > grace }
                .sorted { $0.value.pace.rate(at: now) < $1.value.pace.rate(at: now) }
            for (number, taker) in old where rest > 0 {
                rest -= taker.bytes
                slow.append(taker.channel)
                // Its bytes are given back when its connection has let go of them.
                state.takers[number] = nil
            }
            state.cutOff += slow.count
            return slow
        }
        for channel in slow { channel.abort() }
    }

    /// The body of an answer, which is counted until its client has taken it, and written no faster than that.
    func body(
        _ bytes: ByteBuffer, to channel: any Channel, of party: RequestShares.Party? = nil
    ) -> ResponseBody {
        // Without a socket there is nobody to wait for.
        guard bytes.readableBytes > Self.smallBytes, channel.isActive else {
            return ResponseBody(byteBuffer: bytes)
        }
        let place = Place(self, bytes.readableBytes, channel, party)
        return ResponseBody(contentLength: bytes.readableBytes) { writer in
            // However it ends: nobody takes more of it.
            defer { place.end() }
            var rest = bytes
            while rest.readableBytes > 0 {
                let isLast = rest.readableBytes <= Self.lastBytes
                let count =
                    isLast ? rest.readableBytes : min(Self.pieceBytes, rest.readableBytes - Self.lastBytes)
                guard let piece = rest.readSlice(length: count) else { break }
                // The writer knows that its connection is full only after the event loop had its turn.
                try await channel.eventLoop.submit {}.get()
                try await writer.write(piece)
                place.note(count)
            }
            try await writer.finish(nil)
        }
    }

    /// What an answer holds, until it was taken or is thrown away.
    private final class Place: Sendable {
        private let budget: OutgoingAnswers
        private let bytes: Int
        private let number: UInt64
        private let party: RequestShares.Party?
        private let isOver = Atomic<Bool>(false)

        init(
            _ budget: OutgoingAnswers, _ bytes: Int, _ channel: any Channel, _ party: RequestShares.Party?
        ) {
            self.budget = budget
            self.bytes = bytes
            self.party = party
            budget.budget.add(bytes)
            let now = ContinuousClock.now
            number = budget.state.withLock { state in
                state.next += 1
                state.add(1, to: party)
                state.takers[state.next] = Taker(
                    channel: channel, start: now, pace: Pace(at: now), bytes: bytes)
                return state.next
            }
        }

        deinit { end() }

        func note(_ count: Int) {
            let now = ContinuousClock.now
            budget.state.withLock { $0.takers[number]?.pace.add(count, at: now) }
        }

        func end() {
            guard !isOver.exchange(true, ordering: .relaxed) else { return }
            budget.state.withLock { state in
                state.takers[number] = nil
                state.add(-1, to: party)
            }
            budget.budget.give(bytes)
        }
    }
}
