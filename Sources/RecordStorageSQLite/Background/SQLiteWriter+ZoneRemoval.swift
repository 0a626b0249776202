import RecordModel
import RecordStorage
import SQLiteAccess

/// Taking a deleted zone's rows out, from the front of each table. The zone's row stays as its tombstone.
extension SQLiteWriter {
    private enum Phase {
        static let records: Int64 = 0
        static let directory: Int64 = 1
        static let references: Int64 = 2
        static let assets: Int64 = 3
        static let versions: Int64 = 4
        static let end: Int64 = 5
    }

    /// - Returns: whether nothing of the zone is left.
    func removeZone(_ job: inout BackgroundJob, within budget: inout WorkBudget) throws -> Bool {
        #if DEBUG
        let living = try connection.int("SELECT count(*) FROM zone WHERE id = \(job.zone) AND deleted = 0")
        assert(living == 0, "Only the records of zones that are gone may go.")
        #endif
        while job.phase < Phase.end {
            let (removed, bytes) =
                switch job.phase {
                case Phase.records:
                    RowID.isShared(job.zone)
                        ? try removeNamedRecords(ofZone: &job, budget.step)
                        : try removeRecords(ofZone: &job, budget.step)
                case Phase.directory: (try removeDirectory(ofZone: job.zone, budget.step), 0)
                case Phase.references: (try removeReferences(ofZone: job.zone, budget.step), 0)
                case Phase.assets: (try removeAssetUses(ofZone: job.zone, budget.step), 0)
                default: try forgetVersions(ofZone: job.zone, budget.step)
                }
            if removed == 0 { job.phase += 1 }
            budget.spend(removed, bytes: bytes)
            guard !budget.isSpent else { break }
        }
        return job.phase >= Phase.end
    }

    /// Removes some rows of the zone from the first table that has any; `place` is the type that is being done.
    private func removeRecords(
        ofZone job: inout BackgroundJob, _ count: Int
    ) throws -> (rows: Int, bytes: Int) {
        // The directory goes last, so a zone that has none has no records: most zones of a reset, for example.
        guard try connection.int("SELECT EXISTS (SELECT 1 FROM directory WHERE zone = \(job.zone))") > 0
        else {
            return (0, 0)
        }
        for type in try typesWithTables() where type >= job.place {
            job.place = type
            let found = try firstRecords(ofZone: job.zone, type: type, count)
            guard let last = found.last else { continue }
            try countRemoval(ofRows: RowID.first(of: job.zone)...last, type: type)
            for table in ["r\(type)", "b\(type)"] {
                try run(
                    "DELETE FROM \(table) WHERE id BETWEEN ? AND ?", .int(RowID.first(of: job.zone)),
                    .int(last))
            }
            job.done += Int64(found.rows)
            return (found.rows, found.bytes)
        }
        return (0, 0)
    }

    /// Removes some records with their places in the directory: where a zone shares its slot, other zones' rows may lie
    /// between its own, however many.
    private func removeNamedRecords(
        ofZone job: inout BackgroundJob, _ count: Int
    ) throws -> (rows: Int, bytes: Int) {
        let entries = try connection.statement(
            "SELECT name, type, id, deleted FROM directory WHERE zone = ? ORDER BY name LIMIT ?")
        defer { entries.reset() }
        entries.bind(job.zone, at: 1)
        entries.bind(Int64(count), at: 2)
        var (last, rows, bytes) = (String?.none, 0, 0)
        while bytes < WorkBudget.bytesPerStep, try entries.step() {
            (last, rows) = (entries.text(0), rows + 1)
            let (type, id) = (entries.int(1), entries.int(2))
            guard entries.int(3) == 0 else { continue }
            bytes += Int(try bodyLength(ofRow: id, type: type))
            try countRemoval(ofRows: id...id, type: type)
            for table in ["r\(type)", "b\(type)"] {
                try run("DELETE FROM \(table) WHERE id = ?", .int(id))
            }
            job.done += 1
        }
        entries.reset()
        if let last {
            try run("DELETE FROM directory WHERE zone = ? AND name <= ?", .int(job.zone), .text(last))
        }
        return (rows, bytes)
    }

    /// The end of the first rows that a step takes, their number and the bytes of their bodies.
    private func firstRecords(
        ofZone zone: Int64, type: Int64, _ count: Int
    ) throws -> (last: Int64?, rows: Int, bytes: Int) {
        let statement = try connection.statement(
            """
            SELECT r.id, length(b.body) FROM r\(type) AS r LEFT JOIN b\(type) AS b ON b.id = r.id
            WHERE r.id BETWEEN ? AND ? ORDER BY r.id LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(RowID.first(of: zone), at: 1)
        statement.bind(RowID.last(of: zone), at: 2)
        statement.bind(Int64(count), at: 3)
        var found: (last: Int64?, rows: Int, bytes: Int) = (nil, 0, 0)
        while found.bytes < WorkBudget.bytesPerStep, try statement.step() {
            found = (statement.int(0), found.rows + 1, found.bytes + Int(statement.int(1)))
        }
        return found
    }

    /// The types whose records lie in tables: those of all schemas, and those that are being removed.
    private func typesWithTables() throws -> [Int64] {
        (catalog.schemas.values.flatMap { $0.types.values.map(\.id) } + catalog.removedTypes).sorted()
    }

    private func removeDirectory(ofZone zone: Int64, _ count: Int) throws -> Int {
        try run(
            """
            DELETE FROM directory WHERE zone = ?1 AND name IN (
                SELECT name FROM directory WHERE zone = ?1 ORDER BY name LIMIT ?2)
            """, .int(zone), .int(Int64(count)))
        return connection.changeCount
    }

    private func removeReferences(ofZone zone: Int64, _ count: Int) throws -> Int {
        try run(
            """
            DELETE FROM reference WHERE (zone, target, owner, field) IN (
                SELECT zone, target, owner, field FROM reference WHERE zone = ?
                ORDER BY target, owner, field LIMIT ?)
            """, .int(zone), .int(Int64(count)))
        return connection.changeCount
    }

    private func removeAssetUses(ofZone zone: Int64, _ count: Int) throws -> Int {
        try countRemoval(ofUsesIn: zone, count)
        let some = "WHERE zone = ? ORDER BY owner, field, digest LIMIT ?"
        try run(
            AssetSQL.release(
                "(zone, owner, field, digest) IN (SELECT zone, owner, field, digest FROM asset_use \(some))"),
            .int(zone), .int(Int64(count)))
        try run(
            """
            DELETE FROM asset_use WHERE (zone, owner, field, digest) IN (
                SELECT zone, owner, field, digest FROM asset_use \(some))
            """, .int(zone), .int(Int64(count)))
        return connection.changeCount
    }
}
