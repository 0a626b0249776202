import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteReader {
    func keptOutcome(of key: [UInt8]) throws -> IdempotencyRecord? {
        let statement = try connection.statement(
            "SELECT request, created_at, outcome FROM kept_outcome WHERE key = ?")
        defer { statement.reset() }
        statement.bind(blob: key, at: 1)
        guard try statement.step() else { return nil }
        return IdempotencyRecord(
            key: key, request: Array(statement.bytes(0)), createdAt: statement.int(1),
            outcome: Array(statement.bytes(2)))
    }
}

extension SQLiteWriter {
    func keep(_ outcome: IdempotencyRecord, room: Int64) throws {
        let last = try connection.statement("SELECT max(position) FROM kept_outcome")
        let position =
            try last.step()
            ? last.int(0) + Int64(Limits.keptOutcomeOverheadBytes + outcome.outcome.count) : 0
        last.reset()
        let statement = try connection.statement(
            """
            INSERT INTO kept_outcome (position, key, request, created_at, outcome) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (key) DO UPDATE SET position = excluded.position, request = excluded.request,
                created_at = excluded.created_at, outcome = excluded.outcome
            """)
        statement.bind(position, at: 1)
        statement.bind(blob: outcome.key, at: 2)
        statement.bind(blob: outcome.request, at: 3)
        statement.bind(outcome.createdAt, at: 4)
        statement.bind(blob: outcome.outcome, at: 5)
        try statement.run()
        try run("DELETE FROM kept_outcome WHERE position <= ?", .int(position - room))
    }

    func forgetKeptOutcomes(before time: Int64, limit: Int) throws -> Int {
        let oldest = try connection.statement(
            "SELECT position, created_at FROM kept_outcome ORDER BY position LIMIT ?")
        oldest.bind(Int64(limit), at: 1)
        var count = 0
        var last: Int64 = 0
        while try oldest.step(), oldest.int(1) < time {
            last = oldest.int(0)
            count += 1
        }
        oldest.reset()
        if count > 0 { try run("DELETE FROM kept_outcome WHERE position <= ?", .int(last)) }
        return count
    }
}
