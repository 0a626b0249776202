import RecordStorage
import RecordWire
import Synchronization

/// A change on its way to receivers, which share it: its bodies are read once, by the first that needs them.
final class FollowedChange: Sendable {
    private struct Records {
        var before: LoggedRecord?
        var after: LoggedRecord?
    }

    let logged: LoggedChange
    private let records = Mutex<Records?>(nil)
    private let verdicts = Mutex<[ListenedCondition: ChangeVerdict]>([:])
    private let spent = Atomic<Int64>(0)
    private let events = Mutex<[(audience: LiveAudience, event: LiveEvent?)]>([])

    /// For how many audiences a change keeps its event, and the largest one that is kept: a change may wait for a while.
    private static let audiences = 2
    private static let keptEventBytes = 16_384
    /// Of how many conditions a change keeps what they say of it.
    private static let keptVerdicts = 256

    /// Where its bytes are counted for as long as anybody has it.
    private let counts: HubCounts?

    init(_ logged: LoggedChange, countedBy counts: HubCounts? = nil) {
        self.logged = logged
        self.counts = counts
        counts?.note(bytes: logged.weight)
    }

    deinit { counts?.note(bytes: -logged.weight) }

    var sequence: Int64 { logged.sequence }
    var kind: LoggedChange.Kind { logged.kind }

    /// The record as it was; nil for a new one.
    var before: LoggedRecord? { read().before }
    /// The record as it is since; nil for a deleted one.
    var after: LoggedRecord? { read().after }

    /// What the change says to an audience: as the first of it made it.
    func event(for audience: LiveAudience, _ make: () throws -> LiveEvent?) rethrows -> LiveEvent? {
        if let known = events.withLock({ $0.first { $0.audience == audience } }) { return known.event }
        let event = try make()
        guard event.map({ $0.text.count <= Self.keptEventBytes }) ?? true else { return event }
        events.withLock { events in
            guard !events.contains(where: { $0.audience == audience }) else { return }
            if events.count == Self.audiences { events.removeFirst() }
            events.append((audience, event))
        }
        return event
    }

    // MARK: What conditions say of it

    /// What a condition says, where that is known or costs next to nothing; nil where a ``ConditionEvaluator`` has to be asked.
    func quickVerdict(of condition: ListenedCondition, _ sides: ChangeSides) -> ChangeVerdict? {
        let bytes = (logged.before?.count ?? 0) + (logged.after?.count ?? 0)
        guard condition.isCheap(of: bytes) else {
            return verdicts.withLock { $0[condition] }.flatMap { $0.covers(sides) ? $0 : nil }
        }
        var records = ChangeRecords()
        return asked(condition, sides, &records)
    }

    /// What a condition says, by whoever may take time for it.
    func verdict(
        of condition: ListenedCondition, _ sides: ChangeSides, _ records: inout ChangeRecords
    ) -> ChangeVerdict {
        if let known = verdicts.withLock({ $0[condition] }), known.covers(sides) { return known }
        let verdict = asked(condition, sides, &records)
        verdicts.withLock { verdicts in
            if verdicts.count >= Self.keptVerdicts { verdicts = [:] }
            verdicts[condition] = verdict
        }
        return verdict
    }

    private func asked(
        _ condition: ListenedCondition, _ sides: ChangeSides, _ records: inout ChangeRecords
    ) -> ChangeVerdict {
        var verdict = ChangeVerdict()
        if sides.contains(.before) {
            verdict.before = records.fulfils(condition.condition, .before, of: self)
        }
        if sides.contains(.after) { verdict.after = records.fulfils(condition.condition, .after, of: self) }
        return verdict
    }

    /// How long the threads of a ``ConditionEvaluator`` have looked at it, in nanoseconds.
    var cost: Int64 { spent.load(ordering: .relaxed) }

    func note(cost: Int64) { spent.add(cost, ordering: .relaxed) }

    private func read() -> Records {
        records.withLock { records in
            if let records { return records }
            // A body that cannot be read fulfils nothing: `stratus doctor` finds it.
            let read = Records(
                before: logged.before.flatMap { try? LoggedRecord(body: $0) },
                after: logged.after.flatMap { try? LoggedRecord(body: $0) })
            records = read
            return read
        }
    }
}
