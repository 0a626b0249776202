import RecordStorage
import SQLiteAccess

/// Taking the records of a removed type out, each whole: what refers to it, its files, its place in the directory.
extension SQLiteWriter {
    /// - Returns: whether nothing of the type is left.
    func removeRecords(_ job: inout BackgroundJob, within budget: inout WorkBudget) throws -> Bool {
        var touched: [Int64: Int64] = [:]
        while !budget.isSpent {
            let (rows, bytes) = try someRecords(ofType: job.type, budget.step)
            guard let last = rows.last?.id else {
                try touch(zones: touched)
                try run("DELETE FROM job WHERE type = ? AND kind = 'count'", .int(job.type))
                counting?.types[job.type] = nil
                try dropTables(ofType: job.type)
                return true
            }
            for row in rows {
                if let tombstone = try bury(row, type: job.type) { touched[row.zone] = tombstone }
            }
            try countRemoval(ofRows: 0...last, type: job.type)
            for table in ["r\(job.type)", "b\(job.type)"] {
                try run("DELETE FROM \(table) WHERE id <= ?", .int(last))
            }
            job.done += Int64(rows.count)
            budget.spend(rows.count, bytes: bytes)
        }
        try touch(zones: touched)
        return false
    }

    private func someRecords(
        ofType type: Int64, _ count: Int
    ) throws -> (rows: [(id: Int64, zone: Int64, name: String)], bytes: Int) {
        let statement = try connection.statement(
            """
            SELECT r.id, r.zone, r.name, length(b.body) FROM r\(type) AS r LEFT JOIN b\(type) AS b ON b.id = r.id
            ORDER BY r.id LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(Int64(count), at: 1)
        var rows: [(id: Int64, zone: Int64, name: String)] = []
        var bytes = 0
        while bytes < WorkBudget.bytesPerStep, try statement.step() {
            rows.append((statement.int(0), statement.int(1), statement.text(2)))
            bytes += Int(statement.int(3))
        }
        return (rows, bytes)
    }

    /// Takes a record out of the directory, unless a new one has its name already.
    ///
    /// - Returns: the sequence number of the tombstone, where the zone is tracked.
    private func bury(_ row: (id: Int64, zone: Int64, name: String), type: Int64) throws -> Int64? {
        let entry = try connection.statement(
            "SELECT tracked FROM directory WHERE zone = ? AND name = ? AND type = ? AND id = ? AND deleted = 0"
        )
        defer { entry.reset() }
        entry.bind(row.zone, at: 1)
        entry.bind(row.name, at: 2)
        entry.bind(type, at: 3)
        entry.bind(row.id, at: 4)
        guard try entry.step() else { return nil }
        let isTracked = entry.int(0) != 0
        entry.reset()
        try deleteReferences(of: row.name, in: row.zone)
        try releaseAssets(ofRecord: row.name, in: row.zone)
        guard isTracked else {
            try run("DELETE FROM directory WHERE zone = ? AND name = ?", .int(row.zone), .text(row.name))
            return nil
        }
        let sequence = try nextSequence()
        try run(
            "UPDATE directory SET deleted = 1, sequence = ? WHERE zone = ? AND name = ?",
            .int(sequence), .int(row.zone), .text(row.name))
        return sequence
    }

    private func touch(zones: [Int64: Int64]) throws {
        for (zone, sequence) in zones {
            // A zone that is gone itself has told of it already.
            try run(
                "UPDATE zone SET sequence = max(sequence, ?) WHERE id = ? AND deleted = 0", .int(sequence),
                .int(zone))
        }
    }

    private func dropTables(ofType type: Int64) throws {
        // A statement on the tables that is not at its end would hold them.
        connection.forgetStatements()
        try connection.execute("DROP TABLE r\(type); DROP TABLE b\(type)")
    }
}
