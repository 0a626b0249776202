internal import RecordModel
internal import RecordStorage

/// What was fetched before it is asked for, kept as it is now by those who write.
///
/// In a group of writes it is the picture that each of them sees: what the store held when the group began, with what the
/// writes before have done. One that fails takes its own part out again. What is not in it is asked for.
struct Foreseen {
    /// A zone by its database and name.
    struct ZonePlace: Hashable {
        var database: Int64
        var name: String
    }

    /// A record by its zone and name.
    struct RecordPlace: Hashable {
        var zone: Int64
        @ExactText var name: String
    }

    /// Whether it has what all writes of a group wished for.
    var isGathered = false
    /// The numbers of databases; nil for those that are not there, as in all of these.
    private(set) var databases: [DatabaseID: Int64?] = [:]
    private(set) var zones: [ZonePlace: ZoneRow?] = [:]
    private(set) var outcomes: [[UInt8]: IdempotencyRecord?] = [:]
    private(set) var records: [RecordPlace: RecordRow?] = [:]
    /// References by their targets.
    private(set) var referrers: [RecordPlace: [ReferrerRow]] = [:]
    /// The targets in `referrers` that a record refers to.
    private var targets: [RecordPlace: Set<ExactText>] = [:]
    /// The bytes of bodies that writes have put in or come upon.
    private var writtenBytes = 0
    /// What the write under way has changed, in order.
    private var changes: [Change] = []

    /// How many bytes of bodies writes leave for those after them.
    private static let writtenBytesLimit = 16 << 20

    /// What was there before a change; nil where nothing was known.
    private enum Change {
        case database(DatabaseID, Int64??)
        case zone(ZonePlace, ZoneRow??)
        case outcome([UInt8], IdempotencyRecord??)
        case record(RecordPlace, RecordRow??)
        case referrers(RecordPlace, [ReferrerRow]?)
    }

    // MARK: Taking in what was fetched

    mutating func fetched(_ number: Int64?, of database: DatabaseID) { databases[database] = .some(number) }

    mutating func fetched(zone row: ZoneRow?, named name: String, in database: Int64) {
        zones[ZonePlace(database: database, name: name)] = .some(row)
    }

    mutating func fetched(_ outcome: IdempotencyRecord?, of key: [UInt8]) { outcomes[key] = .some(outcome) }

    mutating func fetched(record row: RecordRow?, named name: String, in zone: Int64) {
        records[RecordPlace(zone: zone, name: name)] = .some(row)
    }

    mutating func fetched(_ rows: [ReferrerRow], to name: String, in zone: Int64) {
        referrers[RecordPlace(zone: zone, name: name)] = rows
        for row in rows {
            targets[RecordPlace(zone: zone, name: row.name), default: []].insert(ExactText(name))
        }
    }

    // MARK: Learning in the middle of a write

    /// Whether a record, or that there is none, and who refers to it are known.
    func knows(recordNamed name: String, in zone: Int64) -> Bool {
        let place = RecordPlace(zone: zone, name: name)
        return records[place] != nil && referrers[place] != nil
    }

    /// A record, or that there is none, was fetched as the write under way sees it: it goes when this write is undone.
    mutating func learn(_ row: RecordRow?, named name: String, in zone: Int64) {
        set(row, named: name, in: zone)
    }

    /// Who refers to a record was fetched as the write under way sees it.
    mutating func learn(_ rows: [ReferrerRow], to name: String, in zone: Int64) {
        let place = RecordPlace(zone: zone, name: name)
        changes.append(.referrers(place, referrers[place]))
        fetched(rows, to: name, in: zone)
    }

    // MARK: What writes do

    /// Begins a write: what those before have done stays.
    mutating func beginWrite() { changes.removeAll(keepingCapacity: true) }

    /// Takes out what the write under way has done.
    mutating func undoWrite() {
        for change in changes.reversed() {
            switch change {
            case .database(let id, let old): databases[id] = old
            case .zone(let place, let old): zones[place] = old
            case .outcome(let key, let old): outcomes[key] = old
            case .record(let place, let old): records[place] = old
            case .referrers(let place, let old): referrers[place] = old
            }
        }
        beginWrite()
    }

    /// Something was done of which nobody says here what it changes.
    mutating func forgetAll() {
        // Nothing that is undone comes back: it is asked for.
        self = Foreseen()
    }

    mutating func made(_ number: Int64, of database: DatabaseID) {
        changes.append(.database(database, databases[database]))
        fetched(number, of: database)
    }

    mutating func set(_ zone: ZoneRow) {
        let place = ZonePlace(database: zone.database, name: zone.name)
        changes.append(.zone(place, zones[place]))
        zones[place] = .some(zone)
    }

    /// A zone's feed has come to a number.
    mutating func raise(_ zone: ZoneRow, to sequence: Int64) {
        let place = ZonePlace(database: zone.database, name: zone.name)
        guard var row = zones[place] ?? nil, row.sequence < sequence else { return }
        row.sequence = sequence
        set(row)
    }

    mutating func kept(_ outcome: IdempotencyRecord) {
        changes.append(.outcome(outcome.key, outcomes[outcome.key]))
        fetched(outcome, of: outcome.key)
    }

    /// A record was stored, or removed (nil).
    mutating func set(_ row: RecordRow?, named name: String, in zone: Int64) {
        let place = RecordPlace(zone: zone, name: name)
        changes.append(.record(place, records[place]))
        writtenBytes += row?.body.count ?? 0
        guard writtenBytes <= Self.writtenBytesLimit else { return records[place] = nil }
        records[place] = .some(row)
    }

    /// A record refers to another one, which has to be asked for again.
    mutating func addReference(to target: String, in zone: Int64) {
        let place = RecordPlace(zone: zone, name: target)
        guard let old = referrers.removeValue(forKey: place) else { return }
        changes.append(.referrers(place, old))
    }

    /// The references that a record held are gone.
    mutating func removeReferences(of owner: String, in zone: Int64) {
        for target in targets[RecordPlace(zone: zone, name: owner)] ?? [] {
            let place = RecordPlace(zone: zone, name: target.text)
            guard let old = referrers[place] else { continue }
            changes.append(.referrers(place, old))
            referrers[place] = old.filter { !$0.name.isExactly(owner) }
        }
    }
}
