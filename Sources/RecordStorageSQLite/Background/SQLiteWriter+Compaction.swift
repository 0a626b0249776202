import RecordModel
import RecordStorage
import SQLiteAccess

/// How long deletions stay in the change feeds.
struct DeletionHorizon: Sendable {
    /// The shortest time, in milliseconds.
    var milliseconds = Int64(Limits.deletionSeconds) * 1_000
    /// The fewest changes.
    var changes = Int64(Limits.deletionChanges)
}

/// A walk through all tombstones that forgets old ones. It is not kept: after a restart it starts over.
struct CompactionWalk: Sendable, Equatable {
    /// Deletions up to this sequence number are forgotten.
    var horizon: Int64
    /// Where the walk is in the directory: after this record. Nil once it is through.
    var entry: (zone: Int64, name: String)? = (.min, "")
    /// Where it is among the zones: after this one.
    var zone: Int64 = 0

    init(horizon: Int64) { self.horizon = horizon }

    static func == (left: CompactionWalk, right: CompactionWalk) -> Bool {
        left.horizon == right.horizon && left.zone == right.zone && left.entry?.zone == right.entry?.zone
            && left.entry.map { ExactText($0.name) } == right.entry.map { ExactText($0.name) }
    }
}

extension SQLiteWriter {
    /// How many rows of the directory are looked at in one step; only tombstones cost more than a look.
    private static let lookedAt = 512

    /// Notes which sequence number is the last at this time, and gives the one up to which deletions may be
    /// forgotten; 0 where none may.
    func noteMoment(_ now: Int64, _ keeping: DeletionHorizon) throws -> Int64 {
        let start = now - keeping.milliseconds
        try run(
            """
            INSERT OR REPLACE INTO moment (at, sequence) SELECT ?1, ?2
            WHERE NOT EXISTS (SELECT 1 FROM moment WHERE sequence >= ?2)
            """, .int(now), .int(sequence))
        let statement = try connection.statement(
            "SELECT max(at), coalesce(max(sequence), 0) FROM moment WHERE at <= ?")
        defer { statement.reset() }
        statement.bind(start, at: 1)
        guard try statement.step(), let last = statement.optionalInt(0) else { return 0 }
        let old = statement.int(1)
        statement.reset()
        // The newest of the old ones says all that the older ones say.
        try run("DELETE FROM moment WHERE at < ?", .int(last))
        return max(0, min(old, sequence - keeping.changes))
    }

    /// Forgets tombstones, some at a time.
    ///
    /// - Returns: whether the walk is through.
    func compact(_ walk: inout CompactionWalk, within budget: inout WorkBudget) throws -> Bool {
        while let place = walk.entry {
            walk.entry = try compactDirectory(after: place, until: walk.horizon, &budget)
            if budget.isSpent { return false }
        }
        while !budget.isSpent {
            guard try compactZones(&walk, &budget) else { return true }
        }
        return false
    }

    private func compactDirectory(
        after place: (zone: Int64, name: String), until horizon: Int64, _ budget: inout WorkBudget
    ) throws -> (zone: Int64, name: String)? {
        let statement = try connection.statement(
            """
            SELECT zone, name, sequence, deleted FROM directory WHERE (zone, name) > (?, ?)
            ORDER BY zone, name LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(place.zone, at: 1)
        statement.bind(place.name, at: 2)
        statement.bind(Int64(Self.lookedAt), at: 3)
        var last: (zone: Int64, name: String)?
        var old: [(zone: Int64, name: String, sequence: Int64)] = []
        while try statement.step() {
            let entry = (zone: statement.int(0), name: statement.text(1))
            last = entry
            guard statement.int(3) != 0, statement.int(2) <= horizon else { continue }
            old.append((entry.zone, entry.name, statement.int(2)))
        }
        statement.reset()
        var forgotten: [Int64: Int64] = [:]
        for entry in old {
            try run(
                "DELETE FROM directory WHERE zone = ? AND name = ? AND deleted = 1", .int(entry.zone),
                .text(entry.name))
            forgotten[entry.zone] = max(forgotten[entry.zone] ?? 0, entry.sequence)
        }
        for (zone, sequence) in forgotten {
            try run(
                "UPDATE zone SET horizon = max(horizon, ?) WHERE id = ?", .int(sequence), .int(zone))
        }
        budget.spend(old.count)
        return last
    }

    /// - Returns: whether there may be more zones.
    private func compactZones(_ walk: inout CompactionWalk, _ budget: inout WorkBudget) throws -> Bool {
        let statement = try connection.statement(
            "SELECT id, database, sequence, deleted FROM zone WHERE id > ? ORDER BY id LIMIT ?")
        defer { statement.reset() }
        statement.bind(walk.zone, at: 1)
        statement.bind(Int64(Self.lookedAt), at: 2)
        var old: [(id: Int64, database: Int64, sequence: Int64)] = []
        var count = 0
        while try statement.step() {
            count += 1
            walk.zone = statement.int(0)
            guard statement.int(3) != 0, statement.int(2) <= walk.horizon else { continue }
            old.append((statement.int(0), statement.int(1), statement.int(2)))
        }
        statement.reset()
        for zone in old {
            // The zone's row says that its records do not count: it stays until they are gone.
            try run(
                """
                DELETE FROM zone WHERE id = ?1 AND deleted = 1
                AND NOT EXISTS (SELECT 1 FROM job WHERE kind = 'zone' AND zone = ?1)
                """, .int(zone.id))
            guard connection.changeCount > 0 else { continue }
            try run(
                "UPDATE database SET horizon = max(horizon, ?) WHERE id = ?", .int(zone.sequence),
                .int(zone.database))
        }
        budget.spend(old.count)
        return count > 0
    }
}
