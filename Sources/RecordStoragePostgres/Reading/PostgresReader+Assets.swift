internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresReader {
    private static let assetStatement = PostgresStatement(
        """
        SELECT digest, size, created_at, unused_since,
            (SELECT count(*) FROM asset_use WHERE asset_use.digest = asset.digest)
            + (SELECT count(*) FROM version_asset WHERE version_asset.digest = asset.digest)
        FROM asset WHERE digest = $1
        """, .bytea)

    func asset(_ digest: AssetDigest) throws -> AssetRow? {
        Self.assets(try ask(Self.assetStatement, .bytes(digest.bytes))).first
    }

    private static let assetsStatement = PostgresStatement(
        """
        SELECT asset.digest, asset.size, asset.created_at, asset.unused_since, count(*)
        FROM asset JOIN asset_use ON asset_use.digest = asset.digest JOIN zone ON zone.id = asset_use.zone
        JOIN database ON database.id = zone.database
        WHERE asset.digest > $1 AND database.tenant = $2
        GROUP BY asset.digest ORDER BY asset.digest LIMIT $3
        """, .bytea, .int8, .int8)

    func assets(of tenant: Tenant, after digest: AssetDigest?, limit: Int) throws -> [AssetRow] {
        guard let number = catalog.tenants[tenant] else { return [] }
        return Self.assets(
            try ask(Self.assetsStatement, .bytes(digest?.bytes ?? []), .int(number), .int(Int64(limit))))
    }

    private static func assets(_ rows: PostgresRows) -> [AssetRow] {
        (0..<rows.count).compactMap { row in
            guard let digest = AssetDigest(bytes: Array(rows.bytes(row, 0))) else { return nil }
            return AssetRow(
                content: AssetContent(digest: digest, size: rows.int(row, 1)), createdAt: rows.int(row, 2),
                unusedSince: rows.optionalInt(row, 3).map(AssetRow.UnusedSince.init(mark:)),
                uses: Int(rows.int(row, 4)))
        }
    }

    private static let usesStatement = PostgresStatement(
        """
        SELECT database.owner, zone.name, asset_use.owner, asset_use.field
        FROM asset_use JOIN zone ON zone.id = asset_use.zone JOIN database ON database.id = zone.database
        WHERE asset_use.digest = $1 AND database.tenant = $2
        ORDER BY database.owner, zone.name, asset_use.owner, asset_use.field LIMIT $3
        """, .bytea, .int8, .int8)

    func assetUses(of digest: AssetDigest, in tenant: Tenant, limit: Int) throws -> [AssetUse] {
        guard let number = catalog.tenants[tenant] else { return [] }
        let rows = try ask(Self.usesStatement, .bytes(digest.bytes), .int(number), .int(Int64(limit)))
        return (0..<rows.count).map { row in
            let texts = (0..<4).map { PostgresText.decoded(rows.text(row, $0)) }
            return AssetUse(
                owner: texts[0].isEmpty ? nil : texts[0], zoneName: texts[1], recordName: texts[2],
                field: texts[3])
        }
    }

    private static let usesOfTenant = """
        FROM database JOIN zone ON zone.database = database.id JOIN asset_use ON asset_use.zone = zone.id
        JOIN asset ON asset.digest = asset_use.digest
        """
    private static let usageStatement = PostgresStatement(
        """
        SELECT count(*), coalesce(sum(size), 0)::int8 FROM (
            SELECT DISTINCT asset.digest, asset.size \(usesOfTenant) WHERE database.tenant = $1) AS files
        """, .int8)
    private static let usageByTypeStatement = PostgresStatement(
        """
        SELECT name, count(*), sum(size)::int8 FROM (
            SELECT DISTINCT record_type.name, asset.digest, asset.size \(usesOfTenant)
            JOIN directory ON directory.zone = asset_use.zone AND directory.name = asset_use.owner
            JOIN record_type ON record_type.id = directory.type WHERE database.tenant = $1) AS files
        GROUP BY name ORDER BY name
        """, .int8)

    func assetUsage(of tenant: Tenant) throws -> AssetUsage {
        guard let number = catalog.tenants[tenant] else { return AssetUsage() }
        let answers = try ask([
            PostgresCommand(Self.usageStatement, .int(number)),
            PostgresCommand(Self.usageByTypeStatement, .int(number)),
        ])
        return AssetUsage(
            files: Int(answers[0].int(0, 0)), bytes: answers[0].int(0, 1),
            types: (0..<answers[1].count).map { row in
                AssetUsage.TypeUsage(
                    recordType: answers[1].text(row, 0), files: Int(answers[1].int(row, 1)),
                    bytes: answers[1].int(row, 2))
            })
    }

    private static let unusedStatement = PostgresStatement(
        """
        SELECT digest FROM asset WHERE unused_since >= 0 AND unused_since < $1 ORDER BY unused_since LIMIT $2
        """, .int8, .int8)

    func assets(unusedBefore time: Int64, limit: Int) throws -> [AssetDigest] {
        let rows = try ask(Self.unusedStatement, .int(time), .int(Int64(limit)))
        return (0..<rows.count).compactMap { AssetDigest(bytes: Array(rows.bytes($0, 0))) }
    }

    func oldestAsset() throws -> Int64? {
        try ask(PostgresStatement("SELECT min(created_at) FROM asset")).optionalInt(0, 0)
    }
}
