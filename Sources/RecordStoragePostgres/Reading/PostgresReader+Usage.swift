internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresReader {
    private static let usageStatement = PostgresStatement(
        "SELECT records, record_bytes, asset_bytes FROM database WHERE id = $1", .int8)

    func usage(of database: Int64) throws -> StorageUsage {
        let rows = try ask(Self.usageStatement, .int(database))
        return (rows.count > 0 ? rows.usage(0) : StorageUsage()) + unstoredUsage(of: database)
    }

    private static let tenantUsageStatement = PostgresStatement(
        """
        SELECT coalesce(sum(records), 0)::int8, coalesce(sum(record_bytes), 0)::int8,
            coalesce(sum(asset_bytes), 0)::int8
        FROM database WHERE tenant = $1
        """, .int8)

    func usage(of tenant: Tenant) throws -> StorageUsage {
        guard let number = catalog.tenants[tenant] else { return StorageUsage() }
        return try ask(Self.tenantUsageStatement, .int(number)).usage(0) + unstoredUsage(ofTenant: number)
    }

    private static let databaseUsagesStatement = PostgresStatement(
        """
        SELECT records, record_bytes, asset_bytes, owner, id FROM database WHERE tenant = $1
        ORDER BY record_bytes + asset_bytes DESC, id LIMIT $2
        """, .int8, .int8)

    func databaseUsages(of tenant: Tenant, limit: Int) throws -> [DatabaseUsage] {
        guard let number = catalog.tenants[tenant] else { return [] }
        let rows = try ask(Self.databaseUsagesStatement, .int(number), .int(Int64(limit)))
        return (0..<rows.count).map { row in
            let owner = PostgresText.decoded(rows.text(row, 3))
            return DatabaseUsage(
                owner: owner.isEmpty ? nil : owner,
                usage: rows.usage(row) + unstoredUsage(of: rows.int(row, 4)))
        }
    }

    private static let assetBytesStatement = PostgresStatement(
        """
        SELECT coalesce(sum(size), 0)::int8 FROM asset_use JOIN asset USING (digest)
        WHERE zone = $1 AND owner = $2
        """, .int8, .text)

    func assetBytes(ofRecordNamed name: String, in zone: Int64) throws -> Int64 {
        try ask(Self.assetBytesStatement, .int(zone), .text(PostgresText.encoded(name))).int(0, 0)
    }

    /// The layout that brought the counts counted all there was.
    var isUsageCounted: Bool { get throws { true } }
}

extension PostgresRows {
    /// Three columns: records, bytes of records, bytes of files.
    fileprivate func usage(_ row: Int) -> StorageUsage {
        StorageUsage(records: int(row, 0), recordBytes: int(row, 1), assetBytes: int(row, 2))
    }
}
