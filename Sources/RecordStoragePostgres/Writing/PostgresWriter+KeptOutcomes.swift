internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresReader {
    static let keptOutcomeStatement = PostgresStatement(
        "SELECT request, created_at, outcome FROM kept_outcome WHERE key = $1", .bytea)

    func keptOutcome(of key: [UInt8]) throws -> IdempotencyRecord? {
        if let known = foreseen.outcomes[key] { return known }
        return Self.keptOutcome(of: key, try ask(Self.keptOutcomeStatement, .bytes(key)))
    }

    static func keptOutcome(of key: [UInt8], _ rows: PostgresRows) -> IdempotencyRecord? {
        guard rows.count > 0 else { return nil }
        return IdempotencyRecord(
            key: key, request: Array(rows.bytes(0, 0)), createdAt: rows.int(0, 1),
            outcome: Array(rows.bytes(0, 2)))
    }
}

extension PostgresWriter {
    private static let keepStatement = PostgresStatement(
        """
        INSERT INTO kept_outcome (position, key, request, created_at, outcome)
        SELECT coalesce(max(position), 0) + $1, $2, $3, $4, $5 FROM kept_outcome
        ON CONFLICT (key) DO UPDATE SET position = excluded.position, request = excluded.request,
            created_at = excluded.created_at, outcome = excluded.outcome
        """, .int8, .bytea, .bytea, .int8, .bytea)
    private static let makeRoomStatement = PostgresStatement(
        "DELETE FROM kept_outcome WHERE position <= (SELECT max(position) FROM kept_outcome) - $1", .int8)
    private static let oldestStatement = PostgresStatement(
        "SELECT position, created_at FROM kept_outcome ORDER BY position LIMIT $1", .int8)
    private static let forgetStatement = PostgresStatement(
        "DELETE FROM kept_outcome WHERE position <= $1", .int8)

    func keep(_ outcome: IdempotencyRecord, room: Int64) throws {
        foreseen.kept(outcome)
        let bytes = Int64(Limits.keptOutcomeOverheadBytes + outcome.outcome.count)
        try enter(
            .apart(
                PostgresCommand(
                    Self.keepStatement, .int(bytes), .bytes(outcome.key), .bytes(outcome.request),
                    .int(outcome.createdAt), .bytes(outcome.outcome))))
        try enter(.apart(PostgresCommand(Self.makeRoomStatement, .int(room))))
    }

    func forgetKeptOutcomes(before time: Int64, limit: Int) throws -> Int {
        let rows = try ask(Self.oldestStatement, .int(Int64(limit)))
        let count = (0..<rows.count).prefix { rows.int($0, 1) < time }.count
        if count > 0 { try write(Self.forgetStatement, .int(rows.int(count - 1, 0))) }
        return count
    }
}
