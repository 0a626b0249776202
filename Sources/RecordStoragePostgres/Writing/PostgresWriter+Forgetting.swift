internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

/// Forgetting deletions of long ago: `horizon` of a zone, and of a database, says up to where its feed has.
extension PostgresWriter {
    private static let noteStatement = PostgresStatement(
        """
        INSERT INTO moment (at, sequence)
        SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM moment WHERE sequence >= $2)
        ON CONFLICT (at) DO UPDATE SET sequence = excluded.sequence
        """, .int8, .int8)
    private static let oldStatement = PostgresStatement(
        "SELECT at, sequence FROM moment WHERE at <= $1 ORDER BY at DESC LIMIT 1", .int8)
    private static let pruneStatement = PostgresStatement("DELETE FROM moment WHERE at < $1", .int8)

    /// Notes which sequence number is the last at this time.
    ///
    /// - Parameters:
    ///   - now: the time, in milliseconds since 1970.
    ///   - milliseconds: how long deletions are kept at least.
    ///   - changes: how many of the last changes are kept at least.
    /// - Returns: the number up to which deletions may be forgotten; 0 where none may.
    func noteMoment(_ now: Int64, keepingMilliseconds milliseconds: Int64, changes: Int64) throws -> Int64 {
        try write(Self.noteStatement, .int(now), .int(sequence))
        let rows = try ask(Self.oldStatement, .int(now - milliseconds))
        guard rows.count > 0 else { return 0 }
        // The newest of the old ones says all that the older ones say.
        try write(Self.pruneStatement, .int(rows.int(0, 0)))
        return max(0, min(rows.int(0, 1), sequence - changes))
    }

    /// Deletes some rows and raises the horizon of whom they belonged to.
    private static func forgetting(_ rows: String, of table: String) -> PostgresStatement {
        PostgresStatement(
            """
            WITH gone AS (\(rows)), raised AS (
                UPDATE \(table) SET horizon = greatest(horizon, old.last)
                FROM (SELECT owner, max(sequence) AS last FROM gone GROUP BY owner) AS old WHERE id = old.owner)
            SELECT count(*) FROM gone
            """, .int8, .int8)
    }
    private static let forgetRecordsStatement = forgetting(
        """
        DELETE FROM directory WHERE deleted AND (zone, name) IN (
            SELECT zone, name FROM directory WHERE deleted AND sequence <= $1 ORDER BY sequence LIMIT $2)
        RETURNING zone AS owner, sequence
        """, of: "zone")
    private static let forgetZonesStatement = forgetting(
        """
        DELETE FROM zone WHERE id IN (SELECT id FROM zone WHERE deleted AND sequence <= $1 ORDER BY id LIMIT $2)
        RETURNING database AS owner, sequence
        """, of: "database")

    private static let keepZoneNumberStatement = PostgresStatement(
        "UPDATE meta SET value = greatest(value, (SELECT max(id) FROM zone)) WHERE key = 'zone'")

    /// Forgets deletions of records and of zones up to a sequence number, so many of each at most.
    ///
    /// - Returns: how many were forgotten.
    func forgetDeletions(upTo horizon: Int64, limit: Int) throws -> Int {
        guard horizon > 0 else { return 0 }
        let values: [PostgresValue] = [.int(horizon), .int(Int64(limit))]
        let records = try ask(PostgresCommand(Self.forgetRecordsStatement, values: values)).int(0, 0)
        // The records of a zone first: the horizon of one that is gone has nowhere to be.
        guard records == 0 else { return Int(records) }
        // Tokens name a zone by its number, which no other one may get.
        try write(Self.keepZoneNumberStatement)
        return Int(try ask(PostgresCommand(Self.forgetZonesStatement, values: values)).int(0, 0))
    }
}
