import RecordModel
import RecordStorage
import SQLiteAccess

/// Counting what databases hold: each row of a body and each use of a file that is in the tables, also those that wait to
/// be removed. Changes are collected in memory and stored once with the commit, so that one write costs next to nothing.
///
/// In a store of before there were counts, jobs go through what is there. What they have not come to yet is not counted
/// by anybody: they will find it as it is then.
extension SQLiteWriter {
    /// Where the jobs that count have got to.
    struct CountingPlaces {
        /// The last row that was counted, for types that are not counted to their end.
        var types: [Int64: Int64] = [:]
        /// The last record whose files were counted; nil where all are.
        var files: (zone: Int64, owner: String)?

        var isEmpty: Bool { types.isEmpty && files == nil }
    }

    /// Counts a row, or several of one zone, that were put into a type's tables or, with negative numbers, taken out.
    func count(_ usage: StorageUsage, row id: Int64, type: Int64, in database: Int64) {
        if let place = counting?.types[type], id > place { return }
        usageChanges.add(usage, to: database)
    }

    /// Counts files that a record takes or, with negative numbers, lets go of.
    func count(assetBytes: Int64, ofRecord name: String, in zone: Int64) throws {
        guard assetBytes != 0, isCounted(filesOf: name, in: zone) else { return }
        usageChanges.add(StorageUsage(assetBytes: assetBytes), to: try database(ofZone: zone))
    }

    private func isCounted(filesOf name: String, in zone: Int64) -> Bool {
        guard let place = counting?.files else { return true }
        guard zone == place.zone else { return zone < place.zone }
        return !place.owner.utf8.lexicographicallyPrecedes(name.utf8)
    }

    /// The length of a body that is there.
    func bodyLength(ofRow id: Int64, type: Int64) throws -> Int64 {
        let statement = try connection.statement("SELECT length(body) FROM b\(type) WHERE id = ?")
        defer { statement.reset() }
        statement.bind(id, at: 1)
        return try statement.step() ? statement.int(0) : 0
    }

    func database(ofZone zone: Int64) throws -> Int64 {
        let statement = try connection.statement("SELECT database FROM zone WHERE id = ?")
        defer { statement.reset() }
        statement.bind(zone, at: 1)
        return try statement.step() ? statement.int(0) : 0
    }

    /// Counts rows of a type that are about to be removed, by the numbers of the first and the last.
    func countRemoval(ofRows rows: ClosedRange<Int64>, type: Int64) throws {
        let last = min(rows.upperBound, counting?.types[type] ?? .max)
        guard last >= rows.lowerBound else { return }
        let statement = try connection.statement(
            """
            SELECT count(*), sum(length(body)), 0, \(Self.zone(ofType: type)) AS zone FROM b\(type)
            WHERE id BETWEEN ? AND ? GROUP BY zone
            """)
        defer { statement.reset() }
        statement.bind(rows.lowerBound, at: 1)
        statement.bind(last, at: 2)
        while try statement.step() {
            usageChanges.add(-statement.usage(from: 0), to: try database(ofZone: statement.int(3)))
        }
    }

    /// The zone of a row in a type's table of bodies, as SQL.
    static func zone(ofType type: Int64) -> String {
        """
        CASE WHEN b\(type).id >> \(RowID.slotShift) < \(RowID.firstShared) THEN b\(type).id >> \(RowID.slotShift)
            ELSE (SELECT r.zone FROM r\(type) AS r WHERE r.id = b\(type).id) END
        """
    }

    /// Counts the first uses of files in a zone, which are about to be removed.
    func countRemoval(ofUsesIn zone: Int64, _ count: Int) throws {
        if let place = counting?.files, zone > place.zone { return }
        let end = counting?.files.flatMap { $0.zone == zone ? $0.owner : nil }
        let statement = try connection.statement(
            """
            SELECT coalesce(sum(size), 0) FROM (
                SELECT owner, digest FROM asset_use WHERE zone = ?1 ORDER BY owner, field, digest LIMIT ?2) AS use
            CROSS JOIN asset ON asset.digest = use.digest WHERE ?3 IS NULL OR use.owner <= ?3
            """)
        defer { statement.reset() }
        statement.bind(zone, at: 1)
        statement.bind(Int64(count), at: 2)
        statement.bind(end, at: 3)
        guard try statement.step(), statement.int(0) > 0 else { return }
        usageChanges.add(StorageUsage(assetBytes: -statement.int(0)), to: try database(ofZone: zone))
    }

    /// Learns where the jobs that count have got to; another process may have gone on with them.
    func takeCountingPlaces() throws {
        if let counting, counting.isEmpty { return }
        var places = CountingPlaces()
        let statement = try connection.statement("SELECT type, place, name FROM job WHERE kind = 'count'")
        defer { statement.reset() }
        while try statement.step() {
            if statement.int(0) == 0 {
                places.files = (statement.int(1), statement.text(2))
            } else {
                places.types[statement.int(0)] = statement.int(1)
            }
        }
        counting = places
    }

    /// Stores what has changed.
    func storeUsage() throws {
        for (database, usage) in usageChanges.take() {
            for statement in [
                try connection.statement(
                    """
                    UPDATE database SET records = records + ?2, record_bytes = record_bytes + ?3,
                        asset_bytes = asset_bytes + ?4 WHERE id = ?1
                    """),
                try connection.statement(
                    """
                    UPDATE tenant SET records = records + ?2, record_bytes = record_bytes + ?3,
                        asset_bytes = asset_bytes + ?4 WHERE id = (SELECT tenant FROM database WHERE id = ?1)
                    """),
            ] {
                statement.bind(database, at: 1)
                statement.bind(usage.records, at: 2)
                statement.bind(usage.recordBytes, at: 3)
                statement.bind(usage.assetBytes, at: 4)
                try statement.run()
            }
        }
    }

    // MARK: The jobs

    /// Counts what was stored before there were counts: the records of a type, or all files.
    ///
    /// - Returns: whether all of it is counted.
    func countStored(_ job: inout BackgroundJob, within budget: inout WorkBudget) throws -> Bool {
        while !budget.isSpent {
            let found = job.type == 0 ? try countFiles(&job, budget.step) : try countRows(&job, budget.step)
            guard found > 0 else {
                if job.type == 0 { counting?.files = nil } else { counting?.types[job.type] = nil }
                return true
            }
            job.done += Int64(found)
            budget.spend(found)
        }
        return false
    }

    private func countRows(_ job: inout BackgroundJob, _ count: Int) throws -> Int {
        let statement = try connection.statement(
            "SELECT id, length(body), \(Self.zone(ofType: job.type)) FROM b\(job.type) WHERE id > ? ORDER BY id LIMIT ?"
        )
        defer { statement.reset() }
        statement.bind(job.place, at: 1)
        statement.bind(Int64(count), at: 2)
        var found = 0
        var last = (zone: Int64(0), database: Int64(0))
        while try statement.step() {
            found += 1
            job.place = statement.int(0)
            let zone = statement.int(2)
            if zone != last.zone { last = (zone, try database(ofZone: zone)) }
            usageChanges.add(
                StorageUsage(records: 1, recordBytes: statement.int(1)), to: last.database)
        }
        counting?.types[job.type] = job.place
        return found
    }

    private func countFiles(_ job: inout BackgroundJob, _ count: Int) throws -> Int {
        let statement = try connection.statement(
            """
            SELECT zone, owner, sum(size) FROM asset_use CROSS JOIN asset ON asset.digest = asset_use.digest
            WHERE (zone, owner) > (?, ?) GROUP BY zone, owner ORDER BY zone, owner LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(job.place, at: 1)
        statement.bind(job.name, at: 2)
        statement.bind(Int64(count), at: 3)
        var found = 0
        while try statement.step() {
            found += 1
            (job.place, job.name) = (statement.int(0), statement.text(1))
            usageChanges.add(
                StorageUsage(assetBytes: statement.int(2)), to: try database(ofZone: job.place))
        }
        counting?.files = (job.place, job.name)
        return found
    }
}
