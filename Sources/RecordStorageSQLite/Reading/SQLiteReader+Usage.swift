import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteReader {
    func usage(of database: Int64) throws -> StorageUsage {
        let statement = try connection.statement(
            "SELECT records, record_bytes, asset_bytes FROM database WHERE id = ?")
        defer { statement.reset() }
        statement.bind(database, at: 1)
        return try (statement.step() ? statement.usage(from: 0) : StorageUsage())
            + unstoredUsage(of: database)
    }

    func usage(of tenant: Tenant) throws -> StorageUsage {
        guard let number = try tenantNumber(tenant) else { return StorageUsage() }
        let statement = try connection.statement(
            "SELECT records, record_bytes, asset_bytes FROM tenant WHERE id = ?")
        defer { statement.reset() }
        statement.bind(number, at: 1)
        return try (statement.step() ? statement.usage(from: 0) : StorageUsage())
            + unstoredUsage(ofTenant: number)
    }

    func databaseUsages(of tenant: Tenant, limit: Int) throws -> [DatabaseUsage] {
        guard let number = try tenantNumber(tenant) else { return [] }
        let statement = try connection.statement(
            """
            SELECT records, record_bytes, asset_bytes, owner, id FROM database WHERE tenant = ?
            ORDER BY record_bytes + asset_bytes DESC, id LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(number, at: 1)
        statement.bind(Int64(limit), at: 2)
        var usages: [DatabaseUsage] = []
        while try statement.step() {
            let owner = statement.text(3)
            usages.append(
                DatabaseUsage(
                    owner: owner.isEmpty ? nil : owner,
                    usage: statement.usage(from: 0) + unstoredUsage(of: statement.int(4))))
        }
        return usages
    }

    func assetBytes(ofRecordNamed name: String, in zone: Int64) throws -> Int64 {
        try assetBytes(where: "zone = ? AND owner = ?", .int(zone), .text(name))
    }

    /// The bytes of the files of some uses.
    func assetBytes(where condition: String, _ values: StorageValue...) throws -> Int64 {
        let statement = try connection.statement(
            """
            SELECT coalesce(sum(size), 0) FROM asset_use CROSS JOIN asset ON asset.digest = asset_use.digest
            WHERE \(condition)
            """)
        defer { statement.reset() }
        statement.bind(values)
        return try statement.step() ? statement.int(0) : 0
    }

    var isUsageCounted: Bool {
        get throws { try connection.int("SELECT EXISTS (SELECT 1 FROM job WHERE kind = 'count')") == 0 }
    }
}

/// What several statements about usage share.
enum UsageSQL {
    /// Has everything counted again in the background: one job for each type, one for all files.
    static let recount = """
        DELETE FROM job WHERE kind = 'count';
        UPDATE database SET records = 0, record_bytes = 0, asset_bytes = 0;
        UPDATE tenant SET records = 0, record_bytes = 0, asset_bytes = 0;
        INSERT INTO job (kind, type, zone, number, name, sequence)
        SELECT 'count', id, 0, 0, '', 0 FROM record_type
        UNION SELECT 'count', type, 0, 0, '', 0 FROM job WHERE kind = 'type'
        UNION SELECT 'count', 0, 0, 0, '', 0 WHERE EXISTS (SELECT 1 FROM asset_use);
        """

    /// Counts the versions of all databases.
    static let recountVersions = """
        UPDATE database SET
            versions = (SELECT count(*) FROM record_version WHERE record_version.database = database.id),
            version_bytes = (SELECT coalesce(sum(bytes), 0) FROM record_version WHERE record_version.database = database.id);
        """
}

extension Statement {
    /// Three columns: records, bytes of records, bytes of files.
    func usage(from column: Int32) -> StorageUsage {
        StorageUsage(records: int(column), recordBytes: int(column + 1), assetBytes: int(column + 2))
    }
}
