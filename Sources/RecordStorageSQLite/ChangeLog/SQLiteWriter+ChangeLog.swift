import RecordModel
import RecordStorage
import SQLiteAccess

/// Writing the change log, in the transaction of each change that is watched.
extension SQLiteWriter {
    func log(_ kind: LoggedChange.Kind, of record: NewRecord, id: Int64, before: [UInt8]?) throws {
        guard watched.includes(type: record.type.id, in: record.zone.database) else { return }
        try append(LoggedChange(kind, of: record, id: id, before: before))
    }

    func log(
        _ kind: LoggedChange.Kind, _ row: RecordRow, in zone: ZoneRow, sequence: Int64, after: [UInt8]?
    ) throws {
        guard watched.includes(type: row.type, in: zone.database) else { return }
        // Who deletes many does not hold their bodies.
        let before = try row.body.isEmpty ? record(named: row.name, in: row.zone)?.body : row.body
        try append(
            LoggedChange(kind, row, in: zone, sequence: sequence, before: before ?? [], after: after))
    }

    func log(_ kind: LoggedChange.Kind, _ zone: ZoneRow, sequence: Int64) throws {
        guard watched.includes(database: zone.database) else { return }
        try append(LoggedChange(kind, zone, sequence: sequence))
    }

    func append(_ change: LoggedChange) throws {
        let last = try connection.statement("SELECT position FROM change_log ORDER BY sequence DESC LIMIT 1")
        let position = (try last.step() ? last.int(0) : 0) + Int64(change.weight)
        last.reset()
        let statement = try connection.statement(
            """
            INSERT INTO change_log (sequence, position, kind, database, zone, type, record, name, before, after,
                zone_name)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        statement.bind(change.sequence, at: 1)
        statement.bind(position, at: 2)
        statement.bind(change.kind.rawValue, at: 3)
        statement.bind(change.database, at: 4)
        statement.bind(change.zone, at: 5)
        statement.bind(change.type, at: 6)
        statement.bind(change.record, at: 7)
        statement.bind(change.name, at: 8)
        if let before = change.before {
            statement.bind(blob: before, at: 9)
        } else {
            statement.bindNull(at: 9)
        }
        if let after = change.after {
            statement.bind(blob: after, at: 10)
        } else {
            statement.bindNull(at: 10)
        }
        statement.bind(change.zoneName, at: 11)
        try statement.run()
        hasLogged = true
        try makeRoom(position: position - Int64(Limits.changeLogBytes))
    }

    /// How many of the oldest entries go at once: more than one write adds, so the log shrinks to its bound.
    private static let forgottenAtOnce: Int64 = 32

    private func makeRoom(position: Int64) throws {
        guard position > 0 else { return }
        let oldest = try connection.statement(
            """
            SELECT max(sequence) FROM (SELECT sequence, position FROM change_log ORDER BY sequence LIMIT ?)
            WHERE position <= ?
            """)
        oldest.bind(Self.forgottenAtOnce, at: 1)
        oldest.bind(position, at: 2)
        let last = try oldest.step() ? oldest.optionalInt(0) : nil
        oldest.reset()
        if let last { try forgetChanges(upTo: last) }
    }

    private func forgetChanges(upTo sequence: Int64) throws {
        try run("DELETE FROM change_log WHERE sequence <= ?", .int(sequence))
        let horizon = try connection.meta(.changeHorizon)
        try connection.set(.changeHorizon, to: max(horizon, sequence))
    }

    /// The last of the oldest entries that go at once, up to a number; nil where these are all.
    private func endOfSlice(upTo sequence: Int64) throws -> Int64? {
        let statement = try connection.statement(
            """
            WITH oldest AS (SELECT sequence, position FROM change_log WHERE sequence <= ?1 ORDER BY sequence LIMIT ?2)
            SELECT max(sequence), (SELECT max(sequence) FROM change_log WHERE sequence <= ?1) FROM oldest
            WHERE position <= (SELECT min(position) FROM oldest) + ?3
            """)
        defer { statement.reset() }
        statement.bind(sequence, at: 1)
        statement.bind(Int64(LoggedChange.forgottenAtOnce), at: 2)
        statement.bind(Int64(LoggedChange.forgottenBytesAtOnce), at: 3)
        guard try statement.step(), let end = statement.optionalInt(0), let last = statement.optionalInt(1)
        else { return nil }
        return end < last ? end : nil
    }

    func forgetChanges(before time: Int64, at now: Int64) throws -> Bool {
        let mark = try connection.statement("SELECT max(sequence) FROM change_mark WHERE at <= ?")
        mark.bind(time, at: 1)
        let last = try mark.step() ? mark.optionalInt(0) : nil
        mark.reset()
        if let last {
            if let end = try endOfSlice(upTo: last) {
                try forgetChanges(upTo: end)
                return false
            }
            try forgetChanges(upTo: last)
        }
        try run("DELETE FROM change_mark WHERE at <= ?", .int(time))
        try run("INSERT OR REPLACE INTO change_mark VALUES (?, ?)", .int(now), .int(sequence))
        return true
    }

    // MARK: Watches

    func watch(_ type: Int64, in database: Int64, at now: Int64) throws -> ChangeWatch {
        if var watch = try watch(of: type, in: database) {
            watch.usedAt = max(watch.usedAt, now)
            try run(
                "UPDATE change_watch SET used_at = ? WHERE database = ? AND type = ?", .int(watch.usedAt),
                .int(database), .int(type))
            return watch
        }
        let watch = ChangeWatch(database: database, type: type, since: try nextSequence(), usedAt: now)
        try run(
            "INSERT INTO change_watch (database, type, since, used_at, version) VALUES (?, ?, ?, ?, ?)",
            .int(database), .int(type), .int(watch.since), .int(now), .int(try nextWatchVersion()))
        return watch
    }

    private func nextWatchVersion() throws -> Int64 {
        let version = try connection.meta(.watchVersion) + 1
        try connection.set(.watchVersion, to: version)
        return version
    }

    func deleteWatches(unusedSince time: Int64) throws {
        try run(
            """
            DELETE FROM change_watch WHERE used_at < ? AND NOT EXISTS (
                SELECT 1 FROM subscription
                WHERE subscription.type = change_watch.type AND subscription.database = change_watch.database)
            """, .int(time))
        try noteRemovedWatches()
    }

    private func noteRemovedWatches() throws {
        guard connection.changeCount > 0 else { return }
        try connection.set(.watchRemoval, to: nextWatchVersion())
    }

    /// Tells who watches a type that it goes with all of its records, and lets the subscriptions go.
    func endWatches(ofType type: RecordType) throws {
        for database in watched.databases(watching: type.id) {
            try append(
                LoggedChange(
                    sequence: try nextSequence(), kind: .typeDeleted, database: database, zone: 0,
                    type: type.id, name: type.name))
        }
        try run("DELETE FROM subscription WHERE type = ?", .int(type.id))
        try run("DELETE FROM change_watch WHERE type = ?", .int(type.id))
        try noteRemovedWatches()
    }
}
