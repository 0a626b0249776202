import RecordModel
import RecordStorage
import RecordStorageMemory
import RecordWire

/// What survives crashes, and who is allowed to write it; nodes share one.
final class Disk {
    /// One record that came, changed or went, as a subscription should tell it.
    struct Event: Equatable {
        enum Kind: String { case created, updated, deleted }

        var kind: Kind
        var name: String
        var sequence: Int64
    }

    private(set) var moment = MemoryMoment()
    /// The state before the last commit.
    private(set) var before = MemoryMoment()
    /// Who writes at the moment.
    var writer: ObjectIdentifier?
    /// The zones that are looked at: (number, owner).
    var zones: [(id: Int64, owner: String, isTracked: Bool)] = []
    /// What subscriptions have to tell, in order, of the zone that has some.
    private(set) var events: [Event] = []
    /// Told after each commit.
    var onCommit: () -> Void = {}
    var commits = 0

    func commit(_ next: MemoryMoment, _ events: [Event]) {
        before = moment
        moment = next
        commits += 1
        self.events += events
        onCommit()
    }

    /// A crash, where the engine is one that loses something with it.
    func damage(_ change: (inout MemoryMoment) -> Void) { change(&moment) }

    /// What changed in a zone between two states, in the order of its numbers.
    static func events(_ zone: Int64, from old: MemoryMoment, to new: MemoryMoment) -> [Event] {
        let before = Dictionary(
            old.entries(ofZone: zone).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return new.entries(ofZone: zone).compactMap { entry -> Event? in
            let old = before[entry.name]
            guard old?.sequence != entry.sequence else { return nil }
            switch (old?.body, entry.body) {
            case (nil, nil): return nil
            case (nil, _?): return Event(kind: .created, name: entry.name, sequence: entry.sequence)
            case (_?, nil): return Event(kind: .deleted, name: entry.name, sequence: entry.sequence)
            default: return Event(kind: .updated, name: entry.name, sequence: entry.sequence)
            }
        }
        .sorted { $0.sequence < $1.sequence }
    }
}
