internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

/// Keeping earlier states of records, in the transaction of the change that ends them.
extension PostgresWriter {
    private static let keepingStatement = PostgresStatement(
        "UPDATE record_type SET keep_count = $1, keep_days = $2 WHERE id = $3", .int8, .int8, .int8)

    func setKeeping(
        _ keeping: VersionKeeping?, of recordType: RecordType, tenant: Tenant
    ) throws -> RecordType {
        guard recordType.keeping != keeping else { return recordType }
        try write(
            Self.keepingStatement, .int(Int64(keeping?.count ?? 0)), .int(Int64(keeping?.days ?? 0)),
            .int(recordType.id))
        var changed = recordType
        changed.keeping = keeping
        take(changed, tenant: tenant)
        return changed
    }

    private static let insertVersionStatement = PostgresStatement(
        """
        INSERT INTO record_version (\(versionColumns))
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
        """, .int8, .int8, .int8, .int8, .int8, .int8, .text, .int8, .text, .int8, .text, .int8, .int8, .bytea
    )
    private static let holdStatement = PostgresStatement(
        "INSERT INTO version_asset (version, digest) VALUES ($1, $2)", .int8, .bytea)
    private static let countStatement = PostgresStatement(
        "UPDATE database SET versions = versions + 1, version_bytes = version_bytes + $1 WHERE id = $2",
        .int8, .int8)

    /// Stores a version that has its number already.
    func insert(_ version: RecordVersion) throws {
        try enter(
            Self.insertVersionStatement, .int(version.id), .int(version.sequence), .int(version.database),
            .int(version.zone), .int(version.type), .int(version.record),
            .text(PostgresText.encoded(version.name)), .int(version.end.rawValue),
            .text(PostgresText.encoded(version.endedBy)), .int(version.endedAt),
            .text(PostgresText.encoded(version.createdBy)), .int(version.createdAt), .int(version.bytes),
            .bytes(version.body))
        for digest in version.assets {
            try enter(Self.holdStatement, .int(version.id), .bytes(digest.bytes))
        }
        try enter(Self.countStatement, .int(version.bytes), .int(version.database))
    }

    /// Forgets versions with what is counted of them; a sweep looks later whether others hold their files.
    private static func forgetting(_ condition: String) -> String {
        """
        WITH gone AS (DELETE FROM record_version WHERE \(condition) RETURNING id, database, bytes),
        sums AS (SELECT database AS id, count(*) AS versions, sum(bytes)::int8 AS bytes FROM gone GROUP BY database),
        counted AS (
            UPDATE database SET versions = database.versions - sums.versions,
                version_bytes = database.version_bytes - sums.bytes FROM sums WHERE sums.id = database.id),
        files AS (
            DELETE FROM version_asset USING gone WHERE version_asset.version = gone.id RETURNING digest)
        UPDATE asset SET unused_since = \(AssetRow.UnusedSince.releasedMark) WHERE digest IN (SELECT digest FROM files)
        """
    }

    private static let surplusStatement = PostgresStatement(
        forgetting(
            "id IN (SELECT id FROM record_version WHERE zone = $1 AND name = $2 ORDER BY id DESC OFFSET $3)"),
        .int8, .text, .int8)
    private static let forgetSomeStatement = PostgresStatement(forgetting("id = ANY($1)"), .int8Array)
    private static let forgetZoneStatement = PostgresStatement(forgetting("zone = $1"), .int8)
    private static let forgetNameStatement = PostgresStatement(
        forgetting("zone = $1 AND name = $2"), .int8, .text)

    func keep(_ version: RecordVersion, atMost count: Int, room: Int64?) throws {
        try insert(version)
        try enter(
            Self.surplusStatement, .int(version.zone), .text(PostgresText.encoded(version.name)),
            .int(Int64(count)))
        if let room { try makeRoom(for: version, room) }
    }

    private static let oldestStatement = PostgresStatement(
        """
        SELECT id, bytes FROM record_version WHERE zone = $1 AND type = $2 ORDER BY kind, id
        LIMIT \(RecordVersion.forgottenAtOnce)
        """, .int8, .int8)

    /// Forgets the oldest versions of a zone and a type until those of the database have room, and an eighth more, so
    /// that this is not done with each write.
    private func makeRoom(for version: RecordVersion, _ room: Int64) throws {
        var taken = try versionUsage(of: version.database).bytes
        guard taken > room else { return }
        while taken > room - room / 8 {
            let rows = try ask(Self.oldestStatement, .int(version.zone), .int(version.type))
            guard rows.count > 0 else { return }
            var gone: [Int64] = []
            for row in 0..<rows.count where taken > room - room / 8 {
                gone.append(rows.int(row, 0))
                taken -= rows.int(row, 1)
            }
            try write(Self.forgetSomeStatement, .ints(gone))
        }
    }

    private static let returnStatement = PostgresStatement(
        """
        UPDATE record_version SET kind = \(RecordVersion.End.returned.rawValue)
        WHERE zone = $1 AND name = $2 AND kind = \(RecordVersion.End.deleted.rawValue)
        """, .int8, .text)

    func noteReturn(ofRecordNamed name: String, in zone: Int64) throws {
        try enter(Self.returnStatement, .int(zone), .text(PostgresText.encoded(name)))
    }

    private static let oldStatement = PostgresStatement(
        """
        SELECT id, octet_length(body)::int8, ended_at FROM record_version
        WHERE zone = $1 AND type = $2 AND kind = $3 ORDER BY id LIMIT \(RecordVersion.forgottenAtOnce)
        """, .int8, .int8, .int8)

    func forgetVersions(of group: VersionGroup, endedBefore time: Int64) throws -> Bool {
        let rows = try ask(
            Self.oldStatement, .int(group.zone), .int(group.type), .int(group.end.rawValue))
        var old: [Int64] = []
        var bytes: Int64 = 0
        for row in 0..<rows.count {
            guard bytes < RecordVersion.forgottenBytesAtOnce, rows.int(row, 2) < time else { break }
            old.append(rows.int(row, 0))
            bytes += rows.int(row, 1)
        }
        if !old.isEmpty { try write(Self.forgetSomeStatement, .ints(old)) }
        return old.count < RecordVersion.forgottenAtOnce && bytes < RecordVersion.forgottenBytesAtOnce
    }

    func forgetVersions(ofRecordNamed name: String, in zone: Int64) throws {
        try write(Self.forgetNameStatement, .int(zone), .text(PostgresText.encoded(name)))
    }

    func forgetVersions(ofZone zone: Int64) throws { try write(Self.forgetZoneStatement, .int(zone)) }
}
