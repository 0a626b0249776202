internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresInspection {
    /// What is counted of each database is what is in the tables.
    func usageFinding() throws -> StoreFinding {
        let bodies = types.map { "SELECT zone, octet_length(body)::int8 AS bytes FROM r\($0.type.id)" }
        let records =
            bodies.isEmpty
            ? "SELECT 0::int8 AS zone, 0::int8 AS bytes WHERE false" : bodies.joined(separator: " UNION ALL ")
        let wrong = try count(
            """
            WITH body AS (\(records)),
            found AS (
                SELECT zone.database AS id, count(*) AS records, sum(bytes) AS record_bytes
                FROM body JOIN zone ON zone.id = body.zone GROUP BY zone.database),
            files AS (
                SELECT zone.database AS id, sum(size) AS asset_bytes FROM asset_use JOIN asset USING (digest)
                JOIN zone ON zone.id = asset_use.zone GROUP BY zone.database),
            kept AS (
                SELECT database AS id, count(*) AS versions, sum(bytes) AS version_bytes
                FROM record_version GROUP BY database)
            SELECT count(*) FROM database LEFT JOIN found USING (id) LEFT JOIN files USING (id)
                LEFT JOIN kept USING (id)
            WHERE database.records <> coalesce(found.records, 0)
                OR database.record_bytes <> coalesce(found.record_bytes, 0)
                OR database.asset_bytes <> coalesce(files.asset_bytes, 0)
                OR database.versions <> coalesce(kept.versions, 0)
                OR database.version_bytes <> coalesce(kept.version_bytes, 0)
            """)
        guard wrong > 0 else {
            return StoreFinding("usage", .good, "Databases hold what is counted of them.")
        }
        return StoreFinding(
            "usage", .problem,
            "What \(wrong) databases hold is not what is counted of them, so quotas go wrong.",
            remedy: "Keep a copy of the database, and report this with what was done before.")
    }
}
