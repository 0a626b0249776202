internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresWriter {
    private static let noteStatement = PostgresStatement(
        """
        INSERT INTO asset (digest, size, created_at, unused_since) VALUES ($1, $2, $3, $3)
        ON CONFLICT (digest) DO UPDATE SET unused_since = $3 WHERE asset.unused_since >= 0
        """, .bytea, .int8, .int8)

    func noteAsset(_ content: AssetContent, at now: Int64) throws {
        // A file that records hold stays theirs, and one that a record let go of keeps its mark until a sweep has looked.
        try write(Self.noteStatement, .bytes(content.digest.bytes), .int(content.size), .int(now))
    }

    private static let dateStatement = PostgresStatement(
        """
        UPDATE asset SET unused_since = CASE
            WHEN EXISTS (SELECT 1 FROM asset_use WHERE asset_use.digest = asset.digest)
                OR EXISTS (SELECT 1 FROM version_asset WHERE version_asset.digest = asset.digest)
            THEN NULL ELSE $1 END
        WHERE digest IN (SELECT digest FROM asset WHERE unused_since = \(AssetRow.UnusedSince.releasedMark) LIMIT $2)
        """, .int8, .int8)

    func dateReleasedAssets(at now: Int64, limit: Int) throws -> Int {
        try ask(Self.dateStatement, .int(now), .int(Int64(limit))).changed
    }

    private static let removeStatement = PostgresStatement(
        """
        DELETE FROM asset WHERE digest = $1 AND unused_since >= 0 AND unused_since < $2
        AND NOT EXISTS (SELECT 1 FROM asset_use WHERE asset_use.digest = $1)
        AND NOT EXISTS (SELECT 1 FROM version_asset WHERE version_asset.digest = $1)
        """, .bytea, .int8)

    func removeAsset(_ digest: AssetDigest, unusedBefore time: Int64) throws -> Bool {
        try ask(Self.removeStatement, .bytes(digest.bytes), .int(time)).changed > 0
    }

    private static let holdStatement = PostgresStatement(
        """
        WITH new AS (
            INSERT INTO asset_use (zone, owner, field, digest) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING
            RETURNING digest)
        UPDATE database SET asset_bytes = asset_bytes + asset.size FROM new JOIN asset USING (digest)
        WHERE database.id = $5
        """, .int8, .text, .text, .bytea, .int8)
    private static let markStatement = PostgresStatement(
        "UPDATE asset SET unused_since = NULL WHERE digest = $1", .bytea)

    /// Enters what a record refers to.
    func holdAssets(of record: NewRecord) throws {
        for (field, digest) in record.assets {
            try enter(
                Self.holdStatement, .int(record.zone.id), .text(PostgresText.encoded(record.name)),
                .text(field),
                .bytes(digest.bytes), .int(record.zone.database))
            try enter(Self.markStatement, .bytes(digest.bytes))
        }
    }

    private static func release(_ condition: String) -> String {
        """
        WITH gone AS (DELETE FROM asset_use WHERE \(condition) RETURNING zone, digest),
        sums AS (
            SELECT zone.database AS id, sum(asset.size) AS bytes
            FROM gone JOIN asset USING (digest) JOIN zone ON zone.id = gone.zone GROUP BY zone.database),
        counted AS (
            UPDATE database SET asset_bytes = asset_bytes - sums.bytes FROM sums WHERE sums.id = database.id)
        UPDATE asset SET unused_since = \(AssetRow.UnusedSince.releasedMark) WHERE digest IN (SELECT digest FROM gone)
        """
    }

    private static let releaseRecordStatement = PostgresStatement(
        release("zone = $1 AND owner = $2"), .int8, .text)
    private static let releaseZoneStatement = PostgresStatement(release("zone = $1"), .int8)
    private static let releaseTypeStatement = PostgresStatement(
        release(
            """
            EXISTS (SELECT 1 FROM directory WHERE directory.zone = asset_use.zone
                AND directory.name = asset_use.owner AND directory.type = $1 AND NOT directory.deleted)
            """), .int8)

    private static let releaseFieldStatement = PostgresStatement(
        release(
            """
            field = $2 AND EXISTS (SELECT 1 FROM directory WHERE directory.zone = asset_use.zone
                AND directory.name = asset_use.owner AND directory.type = $1 AND NOT directory.deleted)
            """), .int8, .text)

    /// Forgets what a record refers to; a sweep looks later whether others hold it.
    func releaseAssets(ofRecord name: String, in zone: Int64) throws {
        try enter(Self.releaseRecordStatement, .int(zone), .text(PostgresText.encoded(name)))
    }

    func releaseAssets(ofZone zone: Int64) throws { try write(Self.releaseZoneStatement, .int(zone)) }

    /// Forgets what the records of a type refer to by one of their fields.
    func releaseAssets(ofField name: String, ofType type: Int64) throws {
        try write(Self.releaseFieldStatement, .int(type), .text(name))
    }

    /// Forgets what the records of a type refer to; before their entries of the directory go.
    func releaseAssets(ofType type: Int64) throws { try write(Self.releaseTypeStatement, .int(type)) }
}
