internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

/// The log of watched changes, in pieces, so that a copy of the state shares all but the last one.
struct MemoryChangeLog: Sendable {
    private var pieces: [[LoggedChange]] = []
    private var bytes = 0
    /// The bytes of all changes since the first, as engines with tables count them.
    private var position: Int64 = 0
    /// The sequence number up to which changes may be forgotten.
    private(set) var horizon: Int64 = 0
    /// What is watched, by database and type.
    var watches: TreeDictionary<Int64, TreeDictionary<Int64, ChangeWatch>> = [:]
    /// Which sequence number was the last at a time.
    var marks: [(at: Int64, sequence: Int64)] = []

    private static let pieceLength = 256

    func watches(type: Int64, in database: Int64) -> Bool {
        guard let types = watches[database] else { return false }
        return types[type] != nil || types[ChangeWatch.allTypes] != nil
    }

    /// The number of the newest entry.
    var last: Int64? { pieces.last?.last?.sequence }

    mutating func append(_ change: LoggedChange) {
        if let count = pieces.last?.count, count < Self.pieceLength {
            pieces[pieces.count - 1].append(change)
        } else {
            pieces.append([change])
        }
        bytes += change.weight
        position += Int64(change.weight)
        while bytes > Limits.changeLogBytes, let first = pieces.first?.first {
            forget(upTo: first.sequence)
        }
    }

    /// All entries with their places, for copies.
    var placed: [PlacedChange] {
        var end = position - Int64(bytes)
        return pieces.joined().map { change in
            end += Int64(change.weight)
            return PlacedChange(position: end, change: change)
        }
    }

    /// Adds an entry of another store, where it has a place already.
    mutating func restore(_ row: PlacedChange) {
        append(row.change)
        position = row.position
    }

    /// Forgets the oldest of the entries up to a number, as many as go at once.
    ///
    /// - Returns: whether all of them are gone.
    mutating func forgetSome(upTo sequence: Int64) -> Bool {
        var (count, bytes) = (0, 0)
        while let first = pieces.first?.first, first.sequence <= sequence {
            count += 1
            bytes += first.weight
            if count > LoggedChange.forgottenAtOnce || count > 1 && bytes > LoggedChange.forgottenBytesAtOnce
            {
                return false
            }
            forget(upTo: first.sequence)
        }
        forget(upTo: sequence)
        return true
    }

    mutating func forget(upTo sequence: Int64) {
        while let first = pieces.first?.first, first.sequence <= sequence {
            bytes -= first.weight
            pieces[0].removeFirst()
            if pieces[0].isEmpty { pieces.removeFirst() }
        }
        horizon = max(horizon, sequence)
    }

    func changes(named name: String, in database: Int64, limit: Int) -> [LoggedChange] {
        var changes: [LoggedChange] = []
        var bytes = 0
        for piece in pieces.reversed() {
            for change in piece.reversed() where change.name.isExactly(name) && change.database == database {
                guard changes.count < limit, bytes < Limits.answerBytes else { return changes }
                bytes += change.weight
                changes.append(change)
            }
        }
        return changes
    }

    func changes(after sequence: Int64, in database: Int64?, limit: Int) -> [LoggedChange] {
        var changes: [LoggedChange] = []
        var bytes = 0
        for piece in pieces where (piece.last?.sequence ?? 0) > sequence {
            for change in piece
            where change.sequence > sequence && (database == nil || change.database == database) {
                guard changes.count < limit, bytes < Limits.answerBytes else { return changes }
                bytes += change.weight
                changes.append(change)
            }
        }
        return changes
    }
}

extension MemoryReader {
    func loggedChanges(after sequence: Int64, in database: Int64?, limit: Int) throws -> [LoggedChange] {
        state.changeLog.changes(after: sequence, in: database, limit: limit)
    }

    func loggedChanges(named name: String, in database: Int64, limit: Int) throws -> [LoggedChange] {
        state.changeLog.changes(named: name, in: database, limit: limit)
    }

    func forgottenChanges() throws -> Int64 { state.changeLog.horizon }

    func watch(of type: Int64, in database: Int64) throws -> ChangeWatch? {
        state.changeLog.watches[database]?[type]
    }
}

extension MemoryWriter {
    func log(_ kind: LoggedChange.Kind, of record: NewRecord, id: Int64, before: [UInt8]?) {
        guard state.changeLog.watches(type: record.type.id, in: record.zone.database) else { return }
        append(LoggedChange(kind, of: record, id: id, before: before))
    }

    func log(
        _ kind: LoggedChange.Kind, _ row: RecordRow, in zone: ZoneRow, sequence: Int64, before: [UInt8],
        after: [UInt8]?
    ) {
        guard !isRemovingType, state.changeLog.watches(type: row.type, in: zone.database) else { return }
        append(LoggedChange(kind, row, in: zone, sequence: sequence, before: before, after: after))
    }

    func log(_ kind: LoggedChange.Kind, _ zone: ZoneRow, sequence: Int64) {
        guard state.changeLog.watches[zone.database]?.isEmpty == false else { return }
        append(LoggedChange(kind, zone, sequence: sequence))
    }

    func append(_ change: LoggedChange) {
        assert(
            state.hasFlaws || (state.changeLog.last ?? 0) < change.sequence,
            "The log is in the order of the numbers.")
        state.changeLog.append(change)
        hasLogged = true
    }

    func watch(_ type: Int64, in database: Int64, at now: Int64) throws -> ChangeWatch {
        var watch =
            try self.watch(of: type, in: database)
            ?? ChangeWatch(database: database, type: type, since: try nextSequence(), usedAt: now)
        watch.usedAt = max(watch.usedAt, now)
        state.changeLog.watches[database, default: [:]][type] = watch
        return watch
    }

    func deleteWatches(unusedSince time: Int64) throws {
        let needed = Set(try rows(of: Catalogue.subscriptions, TableQuery()).map { [$0.database, $0.type] })
        for (database, types) in state.changeLog.watches {
            let left = types.filter { $0.value.usedAt >= time || needed.contains([database, $0.key]) }
            state.changeLog.watches[database] = left.isEmpty ? nil : left
        }
    }

    func forgetChanges(before time: Int64, at now: Int64) throws -> Bool {
        if let last = state.changeLog.marks.last(where: { $0.at <= time }) {
            guard state.changeLog.forgetSome(upTo: last.sequence) else { return false }
        }
        state.changeLog.marks.removeAll { $0.at <= time || $0.at == now }
        state.changeLog.marks.append((now, state.sequence))
        return true
    }

    /// Tells who watches a type that it goes with all of its records, and lets the subscriptions go.
    func endWatches(ofType type: RecordType) throws {
        for (database, types) in state.changeLog.watches.sorted(by: { $0.key < $1.key })
        where types[type.id] != nil {
            append(
                LoggedChange(
                    sequence: try nextSequence(), kind: .typeDeleted, database: database, zone: 0,
                    type: type.id, name: type.name))
            state.changeLog.watches[database]?[type.id] = nil
            if state.changeLog.watches[database]?.isEmpty == true { state.changeLog.watches[database] = nil }
        }
        try remove(from: Catalogue.subscriptions, where: TableCondition("type", .equal, type.id))
    }
}
