internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

/// Answers what can be asked of one state.
class MemoryReader: StoreReader {
    var state: MemoryState

    init(_ state: MemoryState) { self.state = state }

    func schema(of tenant: Tenant) throws -> Schema { state.schemas[tenant] ?? Schema() }

    func lastSequence() throws -> Int64 { state.sequence }

    // MARK: Databases and zones

    func tenants() throws -> [Tenant] { state.tenants }

    func database(_ id: DatabaseID) throws -> Int64? { state.databases[id] }

    func databases(of tenant: Tenant) throws -> [Int64] {
        state.databases.filter { $0.key.tenant == tenant }.map(\.value).sorted()
    }

    func zone(named name: String, in database: Int64) throws -> ZoneRow? {
        state.zoneNames[MemoryState.ZoneKey(database: database, name: name)].flatMap { state.zones[$0] }
    }

    func zone(numbered number: Int64) throws -> ZoneRow? { state.zones[number] }

    func keyedDatabase(numbered number: Int64) throws -> KeyedDatabase? {
        state.databaseIDs[number].map {
            KeyedDatabase(number: number, id: $0, key: state.databaseKeys[number])
        }
    }

    func keyedDatabases(after number: Int64, limit: Int) throws -> [KeyedDatabase] {
        try state.databaseKeys.keys.filter { $0 > number }.sorted().prefix(limit)
            .compactMap { try keyedDatabase(numbered: $0) }
    }

    func zones(in database: Int64) throws -> [ZoneRow] {
        (state.zonesOfDatabases[database] ?? []).compactMap { state.zones[$0] }
            .filter { !$0.isDeleted }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    func zones(in database: Int64, from name: String, limit: Int) throws -> [ZoneRow] {
        let later = try zones(in: database).drop { $0.name.utf8.lexicographicallyPrecedes(name.utf8) }
        return Array(later.prefix(limit))
    }

    func zones(in database: Int64, changedAfter sequence: Int64, limit: Int) throws -> [ZoneRow] {
        let changed = (state.zonesOfDatabases[database] ?? []).compactMap { state.zones[$0] }
            // Who starts from nothing needs no tombstones.
            .filter { $0.isTracked && $0.sequence > sequence && (sequence > 0 || !$0.isDeleted) }
        return Array(changed.sorted { $0.sequence < $1.sequence }.prefix(limit))
    }

    func forgottenZones(in database: Int64) throws -> Int64 { state.forgottenZones[database] ?? 0 }

    // MARK: Records

    func record(named name: String, in zone: Int64) throws -> RecordRow? {
        guard let entry = state.contents[zone]?.entries[ExactText(name)], let record = entry.record else {
            return nil
        }
        return RecordRow(
            id: entry.id, zone: zone, type: entry.type, name: name, sequence: entry.sequence,
            createdBy: record.createdBy, createdAt: record.createdAt, body: record.body)
    }

    func body(
        ofRecordNamed name: String, in zone: Int64, _ visit: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        guard let record = state.contents[zone]?.entries[ExactText(name)]?.record else { return false }
        try record.body.withUnsafeBytes(visit)
        return true
    }

    func recordCount(of type: RecordType) throws -> Int {
        state.contents.reduce(0) { sum, zone in
            sum + zone.value.entries.count { $0.value.type == type.id && $0.value.record != nil }
        }
    }

    func origin(ofRecordNamed name: String, in zone: Int64) throws -> RecordOrigin? {
        guard let entry = state.contents[zone]?.entries[ExactText(name)], let record = entry.record else {
            return nil
        }
        return RecordOrigin(type: entry.type, createdBy: record.createdBy)
    }

    func referrers(
        to name: String, in zone: Int64, action: Reference.Action?, limit: Int
    ) throws -> [ReferrerRow] {
        let all = (state.contents[zone]?.referrers[ExactText(name)] ?? []).filter {
            action == nil || $0.action == action
        }
        let rows = all.sorted { first, second in
            first.name.isExactly(second.name)
                ? first.field.utf8.lexicographicallyPrecedes(second.field.utf8)
                : first.name.utf8.lexicographicallyPrecedes(second.name.utf8)
        }
        return Array(rows.prefix(limit))
    }

    func referenceCount(
        to name: String, in zone: Int64, action: Reference.Action, besides holder: String
    ) throws -> Int {
        (state.contents[zone]?.referrers[ExactText(name)] ?? []).count {
            $0.action == action && !$0.name.isExactly(holder)
        }
    }

    func changes(_ feed: ChangeFeed, _ visit: (borrowing ChangeRow) throws -> Bool) throws {
        guard let zone = state.zones[feed.zone], zone.isTracked, let contents = state.contents[feed.zone]
        else { return }
        let isFirst = feed.after == 0 && feed.backwardsFrom == nil
        let tombstonesAfter = isFirst ? .max : feed.tombstonesAfter
        let changed = contents.entries.filter { _, entry in
            entry.sequence > feed.after && entry.sequence < feed.backwardsFrom ?? .max
                && (entry.record != nil || entry.sequence > tombstonesAfter)
                && feed.types?.contains(entry.type) != false
        }
        let isBackward = feed.backwardsFrom != nil
        let ordered = changed.sorted { ($0.value.sequence < $1.value.sequence) != isBackward }
        for (name, entry) in ordered.prefix(feed.limit) {
            let goesOn =
                try entry.record.map { record in
                    try record.body.withUnsafeBytes { body in
                        try visit(
                            ChangeRow(sequence: entry.sequence, name: name.text, type: entry.type, body: body)
                        )
                    }
                } ?? visit(ChangeRow(sequence: entry.sequence, name: name.text, type: entry.type, body: nil))
            guard goesOn else { return }
        }
    }
}
