import HummingbirdCore
import NIOCore
import RecordEngine
import RecordModel
import Synchronization

/// The large answers that clients have not taken yet, and the bytes that they may take in all.
///
/// When these are used up, requests wait before their answers are made, and takers that had their time are cut off, until there is
/// room for those who wait: whoever asks for much and reads little would otherwise hold memory for as long as it likes. Of the
/// parties the one that holds most is cut first, and of one party the slowest. Who holds no large answer comes before others, and
/// does not wait for what they hold, up to ``newcomersFactor`` times as many bytes, and users before visitors, up to ``usersFactor`` times.
///
/// Nothing else enters the budget: what all clients are sent from the same memory (``shared(_:to:)``) needs no room, and all that is
/// made for a request is asked for by ``waitForRoom(for:)`` before.
final class OutgoingAnswers: Sendable {
    fileprivate struct Taker {
        var channel: any Channel
        var start: ContinuousClock.Instant
        var pace: Pace
        var bytes: Int
        var party: RequestShares.Party?
    }

    fileprivate struct State {
        var next: UInt64 = 0
        var takers: [UInt64: Taker] = [:]
        /// What takers hold that were cut off, until their connections have let go of it.
        var leaving: [UInt64: Int] = [:]
        var leavingBytes = 0
        /// How many large answers each party has, made or on their way.
        var holders: [RequestShares.Party: Int] = [:]
        var cutOff = 0
        /// When somebody was refused last who holds nothing; nil for never.
        var refused: ContinuousClock.Instant?

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
    /// How many times the capacity may be used before users wait, too, who hold nothing of it; and before others wait who hold nothing:
    /// whoever has an app's public token can be very many others.
    static let usersFactor = 3
    static let newcomersFactor = 2
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
        budget = ByteBudget(
            capacity: capacity, preferred: capacity * Self.newcomersFactor,
            first: capacity * Self.usersFactor,
            patience: patience)
        self.grace = grace
    }

    /// The bytes that wait for clients.
    var held: Int { budget.used }

    /// How many clients were cut off to make room.
    var cutOff: Int { state.withLock { $0.cutOff } }

    /// Whether requests of people who hold nothing were refused of late.
    var isRefusing: Bool {
        let now = ContinuousClock.now
        return state.withLock { $0.refused.map { now - $0 < ByteBudget.refusalMemory } ?? false }
    }

    /// Waits until there is room for another answer.
    ///
    /// - Parameter party: the user, or the network or the app where nobody is signed in.
    /// - Throws: `TRY_AGAIN_LATER` when there was none for too long; `CancellationError`.
    func waitForRoom(for party: RequestShares.Party? = nil) async throws {
        let rank = rank(of: party)
        if rank > .last, isBelow(budget.capacity(of: rank)) { return }
        let missing = budget.used + Self.roomBytes - budget.capacity(of: rank)
        if missing > 0 { cutSlow(atLeast: missing) }
        do {
            try await budget.enter(
                room: min(Self.roomBytes, budget.capacity), taking: 0, of: party, rank: rank)
        } catch {
            if rank > .last, error is ServiceError { state.withLock { $0.refused = .now } }
            throw error
        }
    }

    /// Whom a party comes before: who holds a large answer comes last.
    private func rank(of party: RequestShares.Party?) -> ByteBudget.Rank {
        guard let party, state.withLock({ $0.holders[party] == nil }) else { return .last }
        if case .user = party { return .first }
        return .preferred
    }

    private func isBelow(_ capacity: Int) -> Bool { budget.used + Self.roomBytes <= capacity }

    /// Whether another answer may be made at this moment.
    private func hasRoom(for party: RequestShares.Party?) -> Bool {
        let used = budget.used
        return used == 0 || used + Self.roomBytes <= budget.capacity
            || isBelow(budget.capacity(of: rank(of: party)))
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

    /// Cuts off takers that had their time, until there is room for those who wait.
    func cutSlow() {
        let missing = budget.missing(room: Self.roomBytes)
        if missing > 0 { cutSlow(atLeast: missing) }
    }

    private func cutSlow(atLeast wanted: Int) {
        let now = ContinuousClock.now
        let slow = state.withLock { state in
            // What is on its way out already need not be made free again.
            var rest = wanted - state.leavingBytes
            var slow: [any Channel] = []
            guard rest > 0 else { return slow }
            for number in state.order(ofThoseOlderThan: grace, at: now) where rest > 0 {
                guard let taker = state.takers.removeValue(forKey: number) else { continue }
                rest -= taker.bytes
                state.leaving[number] = taker.bytes
                state.leavingBytes += taker.bytes
                slow.append(taker.channel)
            }
            state.cutOff += slow.count
            return slow
        }
        for channel in slow { channel.abort() }
    }

    /// The body of an answer that all clients are sent from the same memory: it counts nothing, and is written no faster than its
    /// client takes it, since encryption makes a copy of what is written.
    static func shared(_ bytes: ByteBuffer, to channel: any Channel) -> ResponseBody {
        guard bytes.readableBytes > smallBytes, channel.isActive else {
            return ResponseBody(byteBuffer: bytes)
        }
        return ResponseBody(contentLength: bytes.readableBytes) { writer in
            var rest = bytes
            while let piece = rest.readSlice(length: min(smallBytes, rest.readableBytes)),
                piece.readableBytes > 0
            {
                // The writer knows that its connection is full only after the event loop had its turn.
                try await channel.eventLoop.submit {}.get()
                try await writer.write(piece)
            }
            try await writer.finish(nil)
        }
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
                    channel: channel, start: now, pace: Pace(at: now), bytes: bytes, party: party)
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
                state.leavingBytes -= state.leaving.removeValue(forKey: number) ?? 0
                assert(state.leavingBytes >= 0)
                state.add(-1, to: party)
            }
            budget.budget.give(bytes)
        }
    }
}

extension OutgoingAnswers.State {
    /// Those who had their time, in the order in which they are cut off: of the party that holds most the slowest, and so on.
    ///
    /// A taker's place is decided by what its party would hold with it and all that are faster: the more, the earlier. So each that
    /// goes makes the largest party smaller, until parties hold alike.
    fileprivate func order(
        ofThoseOlderThan grace: Duration, at now: ContinuousClock.Instant
    ) -> [UInt64] {
        let old = takers.filter { now - $0.value.start > grace }
            .map { (number: $0.key, taker: $0.value, rate: $0.value.pace.rate(at: now)) }
            .sorted { $0.rate > $1.rate }
        // Those who had no time yet stay, and count.
        var kept: [RequestShares.Party?: Int] = [:]
        for taker in takers.values where now - taker.start <= grace {
            kept[taker.party, default: 0] += taker.bytes
        }
        var places: [(number: UInt64, held: Int)] = []
        for (number, taker, _) in old {
            let held = kept[taker.party, default: 0] + taker.bytes
            kept[taker.party] = held
            places.append((number, held))
        }
        // Of two that are as large, the slower one first.
        return places.reversed().enumerated()
            .sorted { ($0.element.held, $1.offset) > ($1.element.held, $0.offset) }
            .map(\.element.number)
    }
}
