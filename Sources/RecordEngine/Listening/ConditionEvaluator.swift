import DequeModule
import Dispatch
import Foundation
import RecordModel
import RecordStorage
import Synchronization

/// Asks listeners' conditions of changes, where that may take long, on threads of its own: neither event loops nor Swift's executor nor
/// the writing thread wait for them.
///
/// Equal conditions of several listeners are asked once of each change, and texts are folded once for all of them. Each party, a user or
/// an address of the network, has a budget of time on these threads (`Limits.listenerMilliseconds`): one that has used it up
/// waits until there is some again, and the others go on. Nothing is left out: who waits is told later, and a live query for which
/// too many changes wait meanwhile is told that it is behind. Parties take turns, and a change that has cost
/// `Limits.changeMilliseconds` for all its listeners comes after all others.
final class ConditionEvaluator: Sendable {
    /// What a party may still use, and what waits for it.
    private struct Party {
        var waiting: Deque<Job> = []
        var isAtWork = false
        /// Whether it is among the turns.
        var isInTurn = false
        /// In nanoseconds, as of a moment; below zero after a question that took longer than what was left.
        var credit: Int64
        var countedAt: Int64
    }

    private struct Job {
        let id: UInt64
        let condition: ListenedCondition
        let change: FollowedChange
        let sides: ChangeSides
        let continuation: CheckedContinuation<ChangeVerdict?, Never>
    }

    private struct State {
        var parties: [String: Party] = [:]
        /// Those with something that waits, the next one first.
        var turns: Deque<String> = []
        var threads = 0
        var isStopping = false
    }

    /// Where time comes from: what a thread has used of a processor, and a clock, both in nanoseconds.
    struct Meter: Sendable {
        var used: @Sendable () -> Int64 = { Self.nanoseconds(CLOCK_THREAD_CPUTIME_ID) }
        var now: @Sendable () -> Int64 = { Self.nanoseconds(CLOCK_MONOTONIC) }

        private static func nanoseconds(_ clock: clockid_t) -> Int64 {
            var time = timespec()
            guard clock_gettime(clock, &time) == 0 else { return 0 }
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)
    private let ids = Atomic<UInt64>(0)
    private let meter: Meter
    private let most: Int

    private static let capacity = Int64(Limits.listenerMilliseconds) * 1_000_000
    /// What a party gets back in a second.
    private static let refill = Int64(Limits.listenerMillisecondsPerMinute) * 1_000_000 / 60
    private static let mostOfChange = Int64(Limits.changeMilliseconds) * 1_000_000
    /// From so many parties on those are forgotten that owe nothing.
    private static let rememberedParties = 1_024

    /// - Parameter threads: how many there are once there is something to do.
    init(threads: Int = max(1, ProcessInfo.processInfo.activeProcessorCount / 4), meter: Meter = Meter()) {
        most = threads
        self.meter = meter
    }

    deinit { stop() }

    /// Whether a condition holds of a change.
    ///
    /// - Parameter party: who pays for it.
    /// - Returns: nil where the task was cancelled before it was known, or the server stops.
    func verdict(
        of condition: ListenedCondition, on change: FollowedChange, _ sides: ChangeSides, for party: String
    ) async -> ChangeVerdict? {
        if let known = change.quickVerdict(of: condition, sides) { return known }
        let id = ids.wrappingAdd(1, ordering: .relaxed).newValue
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                add(
                    Job(
                        id: id, condition: condition, change: change, sides: sides, continuation: continuation
                    ),
                    of: party)
                // A task that was cancelled before it waited has had its handler called already.
                if Task.isCancelled { cancel(id, of: party) }
            }
        } onCancel: {
            cancel(id, of: party)
        }
    }

    /// The same, until a moment.
    ///
    /// - Returns: nil also where it was not known by then.
    func verdict(
        of condition: ListenedCondition, on change: FollowedChange, _ sides: ChangeSides, for party: String,
        until end: ContinuousClock.Instant
    ) async -> ChangeVerdict? {
        if let known = change.quickVerdict(of: condition, sides) { return known }
        let question = Task { await verdict(of: condition, on: change, sides, for: party) }
        let alarm = Task {
            // Woken early, nothing is to be ended.
            guard (try? await Task.sleep(until: end, clock: .continuous)) != nil else { return }
            question.cancel()
        }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            await question.value
        } onCancel: {
            question.cancel()
        }
    }

    private func add(_ job: Job, of party: String) {
        let now = meter.now()
        let isNew: Bool? = state.withLock { state in
            guard !state.isStopping else { return nil }
            if state.parties.count >= Self.rememberedParties { Self.forgetIdle(&state, now) }
            var known = state.parties[party] ?? Party(credit: Self.capacity, countedAt: now)
            known.waiting.append(job)
            state.parties[party] = known
            Self.queue(party, &state)
            guard state.threads < most else { return false }
            state.threads += 1
            return true
        }
        guard let isNew else { return job.continuation.resume(returning: nil) }
        if isNew { start() }
        signal.signal()
    }

    /// Has a party take turns that has something to ask: one question at a time.
    private static func queue(_ name: String, _ state: inout State) {
        guard let party = state.parties[name], !party.isAtWork, !party.isInTurn, !party.waiting.isEmpty else {
            return
        }
        state.parties[name]?.isInTurn = true
        state.turns.append(name)
    }

    /// Answers nobody any more: the server stops.
    func stop() {
        let (waiting, threads) = state.withLock { state in
            state.isStopping = true
            defer { (state.parties, state.turns) = ([:], []) }
            return (state.parties.values.flatMap(\.waiting), state.threads)
        }
        for job in waiting { job.continuation.resume(returning: nil) }
        for _ in 0..<threads { signal.signal() }
    }

    private func cancel(_ id: UInt64, of party: String) {
        let job = state.withLock { state -> Job? in
            guard let place = state.parties[party]?.waiting.firstIndex(where: { $0.id == id }) else {
                return nil
            }
            return state.parties[party]?.waiting.remove(at: place)
        }
        job?.continuation.resume(returning: nil)
    }

    private static func forgetIdle(_ state: inout State, _ now: Int64) {
        for (name, party) in state.parties where party.waiting.isEmpty && !party.isAtWork {
            if counted(party, now).credit >= capacity { state.parties[name] = nil }
        }
    }

    private static func counted(_ party: Party, _ now: Int64) -> Party {
        var party = party
        // A clock that stood still for a year gives no more than there can be.
        let passed = min(max(0, now - party.countedAt), 3_600_000_000_000)
        party.credit = min(capacity, party.credit + passed / 1_000 * (refill / 1_000) / 1_000)
        party.countedAt = now
        return party
    }
}

// MARK: The threads

extension ConditionEvaluator {
    private enum Next {
        case job(Job, party: String)
        /// Nothing may be done for so many nanoseconds; nil for as long as nobody asks.
        case nothing(Int64?)
        case stop
    }

    private func start() {
        let thread = Thread { [signal, desk = Weak(self)] in
            #if os(Linux)
            // Of this thread alone, on Linux: requests come first. It does no harm where it is refused.
            _ = setpriority(__priority_which_t(0), 0, 10)
            #endif
            var records = ChangeRecords()
            var pause: Int64?
            while true {
                if let pause {
                    _ = signal.wait(timeout: .now() + .nanoseconds(Int(clamping: pause)))
                } else {
                    signal.wait()
                }
                guard let more = desk.owner?.work(&records) else { return }
                pause = more.pause
            }
        }
        thread.name = "stratus-conditions"
        thread.start()
    }

    /// Does what may be done now.
    ///
    /// - Returns: when to look again; nil where the thread is to end.
    private func work(_ records: inout ChangeRecords) -> (pause: Int64?, Void)? {
        while true {
            switch next() {
            case .stop: return nil
            case .nothing(let pause):
                // What was folded takes several times the memory of the change.
                records = ChangeRecords()
                return (pause, ())
            case .job(let job, let party):
                let start = meter.used()
                let verdict = job.change.verdict(of: job.condition, job.sides, &records)
                let cost = max(0, meter.used() - start)
                job.change.note(cost: cost)
                finish(party, cost)
                job.continuation.resume(returning: verdict)
            }
        }
    }

    private func next() -> Next {
        let now = meter.now()
        return state.withLock { state in
            if state.isStopping { return .stop }
            var late: Int?
            var pause: Int64?
            var place = 0
            while place < state.turns.count {
                let name = state.turns[place]
                guard let known = state.parties[name], let job = known.waiting.first else {
                    // All of its questions were taken back.
                    state.turns.remove(at: place)
                    state.parties[name]?.isInTurn = false
                    continue
                }
                let party = Self.counted(known, now)
                state.parties[name] = party
                if party.credit <= 0 {
                    let due = (1 - party.credit) / max(1, Self.refill / 1_000) * 1_000_000 + 1_000_000
                    pause = min(pause ?? .max, due)
                } else if job.change.cost < Self.mostOfChange {
                    return Self.take(place, &state)
                } else if late == nil {
                    late = place
                }
                place += 1
            }
            if let late { return Self.take(late, &state) }
            return .nothing(pause)
        }
    }

    private static func take(_ place: Int, _ state: inout State) -> Next {
        let name = state.turns.remove(at: place)
        state.parties[name]?.isInTurn = false
        state.parties[name]?.isAtWork = true
        guard let job = state.parties[name]?.waiting.popFirst() else { return .nothing(0) }
        return .job(job, party: name)
    }

    /// Takes what a question cost from a party, whose next one waits for its turn.
    private func finish(_ name: String, _ cost: Int64) {
        state.withLock { state in
            state.parties[name]?.isAtWork = false
            state.parties[name]?.credit -= cost
            Self.queue(name, &state)
        }
    }

    private struct Weak: Sendable {
        weak let owner: ConditionEvaluator?
        init(_ owner: ConditionEvaluator) { self.owner = owner }
    }
}

/// The records of the change that a thread looks at, with what was made of their texts so far.
struct ChangeRecords {
    private var change: FollowedChange?
    private var before: ComparedRecord<LoggedRecord>?
    private var after: ComparedRecord<LoggedRecord>?

    mutating func fulfils(_ condition: Condition, _ side: ChangeSides, of change: FollowedChange) -> Bool {
        if self.change !== change { self = ChangeRecords(of: change) }
        return (side == .before ? before : after)?.fulfils(condition) ?? false
    }

    init() {}

    private init(of change: FollowedChange) {
        self.change = change
        before = change.before.map { ComparedRecord($0) }
        after = change.after.map { ComparedRecord($0) }
    }
}
