internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

/// Makes few statements of many writes: rows of one table go together, as arrays.
///
/// What goes together is written in another order than it came in, table by table. So it ends where a row would come a
/// second time, and at each statement whose tables are not known here.
struct PostgresWriteMerger {
    private var commands: [PostgresCommand] = []
    private var inserts = RowsByType()
    private var updates = RowsByType()
    private var entries: [PostgresWrite.DirectoryEntry] = []
    private var names: Set<Foreseen.RecordPlace> = []
    private var ends: [Foreseen.RecordPlace] = []
    private var references: [PostgresWrite.ReferenceEntry] = []
    private var referenceKeys: Set<PostgresWrite.ReferenceEntry.Key> = []
    private var owners: Set<Foreseen.RecordPlace> = []
    private var touches: [Int64: Int64] = [:]

    /// The statements for some writes.
    static func commands(_ writes: [PostgresWrite]) -> [PostgresCommand] {
        var merger = PostgresWriteMerger()
        for write in writes { merger.add(write) }
        merger.close()
        return merger.commands
    }

    private mutating func add(_ write: PostgresWrite) {
        switch write {
        case .command(let command):
            close()
            commands.append(command)
        case .apart(let command): commands.append(command)
        case .insert(let state):
            if inserts.has(state.id) || updates.has(state.id) { close() }
            inserts.add(state)
        case .update(let state):
            if updates.has(state.id) { close() }
            updates.add(state)
        case .entry(let entry):
            if !names.insert(Foreseen.RecordPlace(zone: entry.zone, name: entry.name)).inserted {
                close()
                names = [Foreseen.RecordPlace(zone: entry.zone, name: entry.name)]
            }
            entries.append(entry)
        case .endReferences(let zone, let owner):
            let place = Foreseen.RecordPlace(zone: zone, name: owner)
            // New ones of the same record come after these.
            if owners.contains(place) { close() }
            ends.append(place)
        case .reference(let entry):
            // A second one of the same field replaces the first.
            if referenceKeys.contains(entry.key) { close() }
            referenceKeys.insert(entry.key)
            owners.insert(Foreseen.RecordPlace(zone: entry.key.zone, name: entry.key.owner))
            references.append(entry)
        case .touch(let zone, let sequence): touches[zone] = max(touches[zone] ?? 0, sequence)
        }
    }

    private mutating func close() {
        for rows in inserts.take() { commands += Self.insert(rows) }
        for rows in updates.take() { commands += Self.update(rows) }
        if !ends.isEmpty { commands.append(Self.end(ends)) }
        if !references.isEmpty { commands.append(Self.refer(references)) }
        if !entries.isEmpty { commands.append(Self.enter(entries)) }
        if !touches.isEmpty { commands.append(Self.touch(touches)) }
        (entries, ends, references, touches) = ([], [], [], [:])
        (names, owners, referenceKeys) = ([], [], [])
    }
}

/// Rows of several types' tables, in the order of their types' first ones.
private struct RowsByType {
    private var positions: [Int64: Int] = [:]
    private var groups: [[PostgresWrite.RecordState]] = []
    private var numbers: Set<Int64> = []

    func has(_ id: Int64) -> Bool { numbers.contains(id) }

    mutating func add(_ state: PostgresWrite.RecordState) {
        numbers.insert(state.id)
        if let position = positions[state.type.id] { return groups[position].append(state) }
        positions[state.type.id] = groups.count
        groups.append([state])
    }

    mutating func take() -> [[PostgresWrite.RecordState]] {
        defer { self = RowsByType() }
        return groups
    }
}
