import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteWriter {
    func noteAsset(_ content: AssetContent, at now: Int64) throws {
        // A file that records hold stays theirs; one that none holds gets its whole time of grace again. One that a
        // record let go of keeps its mark: others may hold it, and a sweep has yet to look.
        let statement = try connection.statement(
            """
            INSERT INTO asset (digest, size, created_at, unused_since) VALUES (?1, ?2, ?3, ?3)
            ON CONFLICT (digest) DO UPDATE SET unused_since = ?3 WHERE unused_since >= 0
            """)
        statement.bind(blob: content.digest.bytes, at: 1)
        statement.bind(content.size, at: 2)
        statement.bind(now, at: 3)
        try statement.run()
    }

    func dateReleasedAssets(at now: Int64, limit: Int) throws -> Int {
        let statement = try connection.statement(
            """
            UPDATE asset SET unused_since = CASE
                WHEN EXISTS (SELECT 1 FROM asset_use WHERE asset_use.digest = asset.digest)
                    OR EXISTS (SELECT 1 FROM version_asset WHERE version_asset.digest = asset.digest)
                THEN NULL ELSE ?1 END
            WHERE digest IN (SELECT digest FROM asset WHERE unused_since = \(AssetSQL.released) LIMIT ?2)
            """)
        statement.bind(now, at: 1)
        statement.bind(Int64(limit), at: 2)
        try statement.run()
        return Int(try connection.int("SELECT changes()"))
    }

    func removeAsset(_ digest: AssetDigest, unusedBefore time: Int64) throws -> Bool {
        // The mark alone would do; the uses are asked as well, because a file that is gone cannot come back.
        let statement = try connection.statement(
            """
            DELETE FROM asset WHERE digest = ?1 AND unused_since BETWEEN 0 AND ?2 - 1
            AND NOT EXISTS (SELECT 1 FROM asset_use WHERE asset_use.digest = ?1)
            AND NOT EXISTS (SELECT 1 FROM version_asset WHERE version_asset.digest = ?1)
            """)
        statement.bind(blob: digest.bytes, at: 1)
        statement.bind(time, at: 2)
        try statement.run()
        return try connection.int("SELECT changes()") > 0
    }

    /// Enters what a record refers to.
    func holdAssets(of record: NewRecord) throws {
        for (field, digest) in record.assets {
            let use = try connection.statement(
                "INSERT OR IGNORE INTO asset_use (zone, owner, field, digest) VALUES (?, ?, ?, ?)")
            use.bind(record.zone.id, at: 1)
            use.bind(record.name, at: 2)
            use.bind(field, at: 3)
            use.bind(blob: digest.bytes, at: 4)
            try use.run()
            let isNew = connection.changeCount > 0
            let mark = try connection.statement(
                "UPDATE asset SET unused_since = NULL WHERE digest = ? RETURNING size")
            defer { mark.reset() }
            mark.bind(blob: digest.bytes, at: 1)
            if try mark.step(), isNew {
                try count(assetBytes: mark.int(0), ofRecord: record.name, in: record.zone.id)
            }
        }
    }

    /// Forgets what a record refers to; a sweep looks later whether others hold it.
    func releaseAssets(ofRecord name: String, in zone: Int64) throws {
        try run(
            AssetSQL.release("zone = ? AND owner = ?"), .int(zone), .text(name))
        // Most records have no files.
        guard connection.changeCount > 0 else { return }
        try count(assetBytes: -assetBytes(ofRecordNamed: name, in: zone), ofRecord: name, in: zone)
        try run("DELETE FROM asset_use WHERE zone = ? AND owner = ?", .int(zone), .text(name))
    }
}

/// What several statements about files share.
enum AssetSQL {
    /// The mark of a file that a record let go of.
    static let released = AssetRow.UnusedSince.releasedMark

    /// Marks the files of a version.
    static let releaseVersion = """
        UPDATE asset SET unused_since = \(released)
        WHERE digest IN (SELECT digest FROM version_asset WHERE version = ?)
        """

    /// Marks the files of some uses.
    static func release(_ condition: String) -> String {
        """
        UPDATE asset SET unused_since = \(released)
        WHERE digest IN (SELECT digest FROM asset_use WHERE \(condition))
        """
    }
}
