internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

/// Writing the change log, in the transaction of each change that is watched.
extension PostgresWriter {
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

    private static let appendStatement = PostgresStatement(
        """
        INSERT INTO change_log (position, sequence, kind, database, zone, type, record, name, before, after,
            zone_name)
        SELECT coalesce((SELECT position FROM change_log ORDER BY sequence DESC LIMIT 1), 0) + $1,
            $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
        """, .int8, .int8, .int8, .int8, .int8, .int8, .int8, .text, .bytea, .bytea,
        .text)

    func append(_ change: LoggedChange) throws {
        let command = PostgresCommand(
            Self.appendStatement, .int(Int64(change.weight)), .int(change.sequence),
            .int(change.kind.rawValue), .int(change.database), .int(change.zone), .int(change.type),
            .int(change.record), .text(PostgresText.encoded(change.name)),
            change.before.map { .bytes($0) } ?? .null, change.after.map { .bytes($0) } ?? .null,
            .text(PostgresText.encoded(change.zoneName)))
        try enter(.apart(command))
        hasLogged = true
    }

    private static let makeRoomStatement = PostgresStatement(
        """
        WITH gone AS (
            DELETE FROM change_log WHERE position <=
                (SELECT position FROM change_log ORDER BY sequence DESC LIMIT 1) - $1 RETURNING sequence)
        UPDATE meta SET value = greatest(value, (SELECT max(sequence) FROM gone))
        WHERE key = 'changeHorizon' AND EXISTS (SELECT 1 FROM gone)
        """, .int8)

    /// What a transaction that logged changes ends with: the log keeps its bound, and other nodes learn of it.
    func endLogging() throws {
        guard hasLogged else { return }
        try write(Self.makeRoomStatement, .int(Int64(Limits.changeLogBytes)))
        try write(PostgresCommand(sql: "NOTIFY \(PostgresLayout.changeChannel)"))
    }

    private static let forgetSomeStatement = PostgresStatement(
        """
        WITH last AS (SELECT max(sequence) AS sequence FROM change_mark WHERE at <= $1),
        oldest AS (
            SELECT sequence, position FROM change_log WHERE sequence <= (SELECT sequence FROM last)
            ORDER BY sequence LIMIT $2),
        ends AS (
            SELECT max(sequence) AS sequence FROM oldest
            WHERE position <= (SELECT min(position) FROM oldest) + $3),
        gone AS (DELETE FROM change_log WHERE sequence <= (SELECT sequence FROM ends) RETURNING sequence)
        UPDATE meta SET value = greatest(value, (SELECT max(sequence) FROM gone))
        WHERE key = 'changeHorizon' AND EXISTS (SELECT 1 FROM gone)
        """, .int8, .int8, .int8)
    private static let isLeftStatement = PostgresStatement(
        """
        SELECT 1 FROM change_log WHERE sequence <= (SELECT max(sequence) FROM change_mark WHERE at <= $1) LIMIT 1
        """, .int8)
    private static let endStatements = [
        PostgresStatement(
            """
            UPDATE meta SET value = greatest(value, (SELECT max(sequence) FROM change_mark WHERE at <= $1))
            WHERE key = 'changeHorizon'
            """, .int8),
        PostgresStatement("DELETE FROM change_mark WHERE at <= $1", .int8),
    ]
    private static let markStatement = PostgresStatement(
        "INSERT INTO change_mark VALUES ($1, $2) ON CONFLICT (at) DO UPDATE SET sequence = excluded.sequence",
        .int8, .int8)

    func forgetChanges(before time: Int64, at now: Int64) throws -> Bool {
        try write(
            Self.forgetSomeStatement, .int(time), .int(Int64(LoggedChange.forgottenAtOnce)),
            .int(Int64(LoggedChange.forgottenBytesAtOnce)))
        guard try ask(Self.isLeftStatement, .int(time)).count == 0 else { return false }
        for statement in Self.endStatements { try write(statement, .int(time)) }
        try write(Self.markStatement, .int(now), .int(sequence))
        return true
    }

    // MARK: Watches

    private static let useWatchStatement = PostgresStatement(
        "UPDATE change_watch SET used_at = greatest(used_at, $1) WHERE database = $2 AND type = $3", .int8,
        .int8, .int8)
    private static let insertWatchStatement = PostgresStatement(
        """
        INSERT INTO change_watch (database, type, since, used_at, version)
        VALUES ($1, $2, $3, $4, (SELECT value FROM meta WHERE key = 'watchVersion'))
        """, .int8, .int8, .int8, .int8)
    private static let raiseVersion = PostgresCommand(
        sql: "UPDATE meta SET value = value + 1 WHERE key = 'watchVersion'")
    private static let noteRemoval = PostgresCommand(
        sql:
            "UPDATE meta SET value = (SELECT value FROM meta WHERE key = 'watchVersion') WHERE key = 'watchRemoval'"
    )

    func watch(_ type: Int64, in database: Int64, at now: Int64) throws -> ChangeWatch {
        if var watch = try watch(of: type, in: database) {
            watch.usedAt = max(watch.usedAt, now)
            try write(Self.useWatchStatement, .int(now), .int(database), .int(type))
            return watch
        }
        let watch = ChangeWatch(database: database, type: type, since: try nextSequence(), usedAt: now)
        try write(Self.raiseVersion)
        try write(
            Self.insertWatchStatement, .int(database), .int(type), .int(watch.since), .int(now))
        return watch
    }

    private static let deleteWatchesStatement = PostgresStatement(
        """
        DELETE FROM change_watch WHERE used_at < $1 AND NOT EXISTS (
            SELECT 1 FROM subscription
            WHERE subscription.type = change_watch.type AND subscription.database = change_watch.database)
        RETURNING type
        """, .int8)

    func deleteWatches(unusedSince time: Int64) throws {
        guard try ask(Self.deleteWatchesStatement, .int(time)).count > 0 else { return }
        try noteRemovedWatches()
    }

    private func noteRemovedWatches() throws {
        try write(Self.raiseVersion)
        try write(Self.noteRemoval)
    }

    /// Tells who watches a type that it goes with all of its records, and lets the subscriptions go.
    func endWatches(ofType type: RecordType) throws {
        let databases = watched.databases(watching: type.id)
        for database in databases {
            try append(
                LoggedChange(
                    sequence: try nextSequence(), kind: .typeDeleted, database: database, zone: 0,
                    type: type.id, name: type.name))
        }
        try write(PostgresStatement("DELETE FROM subscription WHERE type = $1", .int8), .int(type.id))
        try write(PostgresStatement("DELETE FROM change_watch WHERE type = $1", .int8), .int(type.id))
        if !databases.isEmpty { try noteRemovedWatches() }
    }
}
