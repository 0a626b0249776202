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
    private let events = Mutex<[(audience: LiveAudience, event: LiveEvent?)]>([])

    /// For how many audiences a change keeps its event, and the largest one that is kept: a change may wait for a while.
    private static let audiences = 2
    private static let keptEventBytes = 16_384

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
