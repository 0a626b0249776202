import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteReader {
    func asset(_ digest: AssetDigest) throws -> AssetRow? {
        let statement = try connection.statement(
            """
            SELECT digest, size, created_at, unused_since,
                (SELECT count(*) FROM asset_use WHERE asset_use.digest = asset.digest)
                + (SELECT count(*) FROM version_asset WHERE version_asset.digest = asset.digest)
            FROM asset WHERE digest = ?
            """)
        defer { statement.reset() }
        statement.bind(blob: digest.bytes, at: 1)
        return try statement.step() ? Self.asset(statement) : nil
    }

    func assets(of tenant: Tenant, after digest: AssetDigest?, limit: Int) throws -> [AssetRow] {
        let statement = try connection.statement(
            """
            SELECT asset.digest, asset.size, asset.created_at, asset.unused_since, count(*)
            FROM asset CROSS JOIN asset_use ON asset_use.digest = asset.digest
            JOIN zone ON zone.id = asset_use.zone AND zone.deleted = 0 JOIN database ON database.id = zone.database
            JOIN tenant ON tenant.id = database.tenant
            WHERE asset.digest > ? AND tenant.container = ? AND tenant.environment = ?
            GROUP BY asset.digest ORDER BY asset.digest LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(blob: digest?.bytes ?? [], at: 1)
        statement.bind(tenant.container.rawValue, at: 2)
        statement.bind(tenant.environment.rawValue, at: 3)
        statement.bind(Int64(limit), at: 4)
        var rows: [AssetRow] = []
        while try statement.step() {
            if let row = Self.asset(statement) { rows.append(row) }
        }
        return rows
    }

    func assetUses(of digest: AssetDigest, in tenant: Tenant, limit: Int) throws -> [AssetUse] {
        let statement = try connection.statement(
            """
            SELECT database.owner, zone.name, asset_use.owner, asset_use.field
            FROM asset_use JOIN zone ON zone.id = asset_use.zone AND zone.deleted = 0
            JOIN database ON database.id = zone.database JOIN tenant ON tenant.id = database.tenant
            WHERE asset_use.digest = ? AND tenant.container = ? AND tenant.environment = ?\(liveHolder("asset_use"))
            ORDER BY database.owner LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(blob: digest.bytes, at: 1)
        statement.bind(tenant.container.rawValue, at: 2)
        statement.bind(tenant.environment.rawValue, at: 3)
        statement.bind(Int64(limit), at: 4)
        var uses: [AssetUse] = []
        while try statement.step() {
            let owner = statement.text(0)
            uses.append(
                AssetUse(
                    owner: owner.isEmpty ? nil : owner, zoneName: statement.text(1),
                    recordName: statement.text(2), field: statement.text(3)))
        }
        return uses
    }

    /// All files with all of their uses, for inspections.
    func allAssets(after digest: AssetDigest?, limit: Int) throws -> [AssetRow] {
        // An inspection may see a file of a version without versions.
        let holders =
            try connection.int("SELECT count(*) FROM sqlite_master WHERE name = 'version_asset'") > 0
        let kept = "(SELECT count(*) FROM version_asset WHERE version_asset.digest = asset.digest)"
        let statement = try connection.statement(
            """
            SELECT digest, size, created_at, unused_since,
                (SELECT count(*) FROM asset_use WHERE asset_use.digest = asset.digest) + \(holders ? kept : "0")
            FROM asset WHERE digest > ? ORDER BY digest LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(blob: digest?.bytes ?? [], at: 1)
        statement.bind(Int64(limit), at: 2)
        var rows: [AssetRow] = []
        while try statement.step() {
            if let row = Self.asset(statement) { rows.append(row) }
        }
        return rows
    }

    private static func asset(_ statement: Statement) -> AssetRow? {
        guard let digest = AssetDigest(bytes: Array(statement.bytes(0))) else { return nil }
        return AssetRow(
            content: AssetContent(digest: digest, size: statement.int(1)), createdAt: statement.int(2),
            unusedSince: statement.optionalInt(3).map(AssetRow.UnusedSince.init(mark:)),
            uses: Int(statement.int(4)))
    }

    func assetUsage(of tenant: Tenant) throws -> AssetUsage {
        let uses = """
            FROM tenant JOIN database ON database.tenant = tenant.id JOIN zone ON zone.database = database.id AND zone.deleted = 0
            JOIN asset_use ON asset_use.zone = zone.id JOIN asset ON asset.digest = asset_use.digest
            """
        let condition = "WHERE tenant.container = ? AND tenant.environment = ?"
        let all = try connection.statement(
            "SELECT count(*), coalesce(sum(size), 0) FROM (SELECT DISTINCT asset.digest, asset.size AS size \(uses) \(condition))"
        )
        defer { all.reset() }
        all.bind(tenant.container.rawValue, at: 1)
        all.bind(tenant.environment.rawValue, at: 2)
        guard try all.step() else { return AssetUsage() }
        var usage = AssetUsage(files: Int(all.int(0)), bytes: all.int(1))
        let parts = try connection.statement(
            """
            SELECT name, count(*), sum(size) FROM (
                SELECT DISTINCT record_type.name AS name, asset.digest, asset.size AS size \(uses)
                JOIN directory ON directory.zone = asset_use.zone AND directory.name = asset_use.owner
                JOIN record_type ON record_type.id = directory.type \(condition))
            GROUP BY name ORDER BY name
            """)
        defer { parts.reset() }
        parts.bind(tenant.container.rawValue, at: 1)
        parts.bind(tenant.environment.rawValue, at: 2)
        while try parts.step() {
            usage.types.append(
                AssetUsage.TypeUsage(
                    recordType: parts.text(0), files: Int(parts.int(1)), bytes: parts.int(2)))
        }
        return usage
    }

    func assets(unusedBefore time: Int64, limit: Int) throws -> [AssetDigest] {
        let statement = try connection.statement(
            """
            SELECT digest FROM asset WHERE unused_since BETWEEN 0 AND ? - 1 ORDER BY unused_since LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(time, at: 1)
        statement.bind(Int64(limit), at: 2)
        var digests: [AssetDigest] = []
        while try statement.step() {
            if let digest = AssetDigest(bytes: Array(statement.bytes(0))) { digests.append(digest) }
        }
        return digests
    }

    func oldestAsset() throws -> Int64? {
        let statement = try connection.statement("SELECT min(created_at) FROM asset")
        defer { statement.reset() }
        return try statement.step() ? statement.optionalInt(0) : nil
    }
}
