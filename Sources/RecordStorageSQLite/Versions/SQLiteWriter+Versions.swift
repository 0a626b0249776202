import RecordModel
import RecordStorage
import SQLiteAccess

/// Keeping earlier states of records, in the transaction of the change that ends them.
extension SQLiteWriter {
    func setKeeping(
        _ keeping: VersionKeeping?, of recordType: RecordType, tenant: Tenant
    ) throws -> RecordType {
        guard recordType.keeping != keeping else { return recordType }
        try run(
            "UPDATE record_type SET keep_count = ?, keep_days = ? WHERE id = ?",
            .int(Int64(keeping?.count ?? 0)), .int(Int64(keeping?.days ?? 0)), .int(recordType.id))
        var changed = recordType
        changed.keeping = keeping
        take(changed, tenant: tenant)
        return changed
    }

    func keep(_ version: RecordVersion, atMost count: Int, room: Int64?) throws {
        try insert(version)
        let oldest = try connection.statement(
            "SELECT id FROM record_version WHERE zone = ? AND name = ? ORDER BY id DESC LIMIT -1 OFFSET ?")
        defer { oldest.reset() }
        oldest.bind(version.zone, at: 1)
        oldest.bind(version.name, at: 2)
        oldest.bind(Int64(count), at: 3)
        var surplus: [Int64] = []
        while try oldest.step() { surplus.append(oldest.int(0)) }
        oldest.reset()
        for id in surplus { try forgetVersion(id) }
        if let room { try makeRoom(for: version, room) }
    }

    /// Stores a version that has its number already.
    func insert(_ version: RecordVersion) throws {
        let statement = try connection.statement(
            """
            INSERT INTO record_version (\(Self.versionColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        statement.bind(
            [
                .int(version.id), .int(version.sequence), .int(version.database), .int(version.zone),
                .int(version.type), .int(version.record), .text(version.name), .int(version.end.rawValue),
                .text(version.endedBy), .int(version.endedAt), .text(version.createdBy),
                .int(version.createdAt),
                .int(version.bytes),
            ] as [StorageValue])
        statement.bind(blob: version.body, at: 14)
        try statement.run()
        for digest in version.assets {
            let use = try connection.statement("INSERT INTO version_asset (version, digest) VALUES (?, ?)")
            use.bind(version.id, at: 1)
            use.bind(blob: digest.bytes, at: 2)
            try use.run()
        }
        try run(
            "UPDATE database SET versions = versions + 1, version_bytes = version_bytes + ? WHERE id = ?",
            .int(version.bytes), .int(version.database))
    }

    /// Forgets the oldest versions of a zone and a type until those of the database have room, and an eighth more, so
    /// that this is not done with each write.
    private func makeRoom(for version: RecordVersion, _ room: Int64) throws {
        var taken = try versionUsage(of: version.database).bytes
        guard taken > room else { return }
        while taken > room - room / 8 {
            let oldest = try versionIDs(
                "zone = ? AND type = ? ORDER BY kind, id", [.int(version.zone), .int(version.type)])
            guard !oldest.isEmpty else { return }
            for (id, bytes) in oldest where taken > room - room / 8 {
                try forgetVersion(id)
                taken -= bytes
            }
        }
    }

    /// The first versions of a condition and their room, as many as go at once.
    private func versionIDs(
        _ condition: String, _ values: [StorageValue]
    ) throws -> [(id: Int64, bytes: Int64)] {
        let statement = try connection.statement(
            "SELECT id, bytes FROM record_version WHERE \(condition) LIMIT \(RecordVersion.forgottenAtOnce)")
        defer { statement.reset() }
        statement.bind(values)
        var rows: [(id: Int64, bytes: Int64)] = []
        while try statement.step() { rows.append((statement.int(0), statement.int(1))) }
        return rows
    }

    func noteReturn(ofRecordNamed name: String, in zone: Int64) throws {
        try run(
            "UPDATE record_version SET kind = ? WHERE zone = ? AND name = ? AND kind = ?",
            .int(RecordVersion.End.returned.rawValue), .int(zone), .text(name),
            .int(RecordVersion.End.deleted.rawValue))
    }

    func forgetVersions(of group: VersionGroup, endedBefore time: Int64) throws -> Bool {
        let statement = try connection.statement(
            """
            SELECT id, length(body), ended_at FROM record_version WHERE zone = ? AND type = ? AND kind = ?
            ORDER BY id LIMIT \(RecordVersion.forgottenAtOnce)
            """)
        defer { statement.reset() }
        statement.bind(group.zone, at: 1)
        statement.bind(group.type, at: 2)
        statement.bind(group.end.rawValue, at: 3)
        var old: [Int64] = []
        var bytes = 0
        while bytes < RecordVersion.forgottenBytesAtOnce, try statement.step(), statement.int(2) < time {
            old.append(statement.int(0))
            bytes += Int(statement.int(1))
        }
        statement.reset()
        for id in old { try forgetVersion(id) }
        return old.count < RecordVersion.forgottenAtOnce && bytes < RecordVersion.forgottenBytesAtOnce
    }

    func forgetVersions(ofRecordNamed name: String, in zone: Int64) throws {
        let all = try versionIDs("zone = ? AND name = ?", [.int(zone), .text(name)])
        for (id, _) in all { try forgetVersion(id) }
    }

    /// Forgets the first versions of a zone: at most so many, and none after what a step takes.
    ///
    /// - Returns: how many there were, and their bytes.
    func forgetVersions(ofZone zone: Int64, _ count: Int) throws -> (rows: Int, bytes: Int) {
        var forgotten = (rows: 0, bytes: 0)
        for (id, bytes) in try versionIDs("zone = ?", [.int(zone)]).prefix(count)
        where forgotten.bytes < WorkBudget.bytesPerStep {
            try forgetVersion(id)
            forgotten = (forgotten.rows + 1, forgotten.bytes + Int(bytes))
        }
        return forgotten
    }

    private func forgetVersion(_ id: Int64) throws {
        // A sweep looks later whether others hold its files.
        try run(AssetSQL.releaseVersion, .int(id))
        if connection.changeCount > 0 { try run("DELETE FROM version_asset WHERE version = ?", .int(id)) }
        let statement = try connection.statement(
            "DELETE FROM record_version WHERE id = ? RETURNING database, bytes")
        defer { statement.reset() }
        statement.bind(id, at: 1)
        guard try statement.step() else { return }
        let (database, bytes) = (statement.int(0), statement.int(1))
        statement.reset()
        try run(
            "UPDATE database SET versions = versions - 1, version_bytes = version_bytes - ? WHERE id = ?",
            .int(bytes), .int(database))
    }
}
