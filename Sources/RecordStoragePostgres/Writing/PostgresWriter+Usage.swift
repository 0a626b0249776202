internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

/// Counting what databases hold. What a write knows is added up in memory and stored with the commit; what only the
/// tables know (files, and what bulk removals take) is counted by the statements that do it.
extension PostgresWriter {
    private static let storeStatement = PostgresStatement(
        """
        UPDATE database SET records = records + $2, record_bytes = record_bytes + $3, asset_bytes = asset_bytes + $4
        WHERE id = $1
        """, .int8, .int8, .int8, .int8)

    /// Stores what has changed.
    func storeUsage() throws {
        for (database, usage) in usageChanges.take() {
            try write(
                Self.storeStatement, .int(database), .int(usage.records), .int(usage.recordBytes),
                .int(usage.assetBytes))
        }
    }

    /// Removes rows of a type's table and counts them; the condition may use $1.
    static func removal(ofType type: Int64, where condition: String) -> String {
        """
        WITH gone AS (
            DELETE FROM r\(type) WHERE \(condition) RETURNING zone, octet_length(body) AS bytes),
        sums AS (
            SELECT zone.database AS id, count(*) AS records, sum(bytes) AS bytes
            FROM gone JOIN zone ON zone.id = gone.zone GROUP BY zone.database)
        UPDATE database SET records = database.records - sums.records, record_bytes = record_bytes - sums.bytes
        FROM sums WHERE sums.id = database.id
        """
    }
}
