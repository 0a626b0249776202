import Foundation
public import RecordModel
public import RecordStorage
import SQLiteAccess

/// What a store's database says of files, for whoever compares it with the files: read without changing anything,
/// also while a server runs.
public final class AssetLedger {
    private let connection: Connection
    private let hasTables: Bool

    /// Opens the database of a directory.
    ///
    /// - Throws: `StorageError` where there is no database, or it cannot be read.
    public init(directory: String) throws {
        connection = try Connection(
            lookingAt: directory + "/" + SQLiteStore.fileName,
            isServed: StoreInspection.isServed(directory: directory), cacheKiB: 1_024)
        // A database of before there were files has no table of them until a server has opened it.
        hasTables = try connection.int("SELECT count(*) FROM sqlite_master WHERE name = 'asset_use'") > 0
    }

    deinit { connection.close() }

    /// Some of the files, in the order of their digests, after a given one.
    ///
    /// - Throws: `StorageError` where the table of files cannot be read.
    public func rows(after digest: AssetDigest?, limit: Int) throws -> [AssetRow] {
        guard hasTables else { return [] }
        return try SQLiteReader(
            connection: connection, catalog: Catalog(), indexAdvisor: nil, zoneCache: nil
        ).allAssets(after: digest, limit: limit)
    }

    /// How many files are known, and their bytes.
    ///
    /// - Throws: `StorageError` where the files cannot be counted.
    public func totals() throws -> (files: Int, bytes: Int64) {
        guard hasTables else { return (0, 0) }
        return (
            Int(try connection.int("SELECT count(*) FROM asset")),
            try connection.int("SELECT coalesce(sum(size), 0) FROM asset")
        )
    }

    /// When the oldest known file was first uploaded, in milliseconds since 1970; nil where none is known.
    ///
    /// - Throws: `StorageError` where the table of files cannot be read.
    public func oldest() throws -> Int64? {
        guard hasTables else { return nil }
        return try SQLiteReader(
            connection: connection, catalog: Catalog(), indexAdvisor: nil, zoneCache: nil
        ).oldestAsset()
    }

    /// Some of the fields of records that refer to a file, of all tenants.
    ///
    /// - Throws: `StorageError` where the tenants or the uses of files cannot be read.
    public func holders(of digest: AssetDigest, limit: Int) throws -> [(tenant: Tenant, use: AssetUse)] {
        guard hasTables else { return [] }
        let reader = SQLiteReader(
            connection: connection, catalog: Catalog(), indexAdvisor: nil, zoneCache: nil)
        var holders: [(tenant: Tenant, use: AssetUse)] = []
        for tenant in try reader.tenants() where holders.count < limit {
            let uses = try reader.assetUses(of: digest, in: tenant, limit: limit - holders.count)
            holders += uses.map { (tenant, $0) }
        }
        return holders
    }

    /// Whether a file is known.
    ///
    /// - Throws: `StorageError` where the file cannot be looked up.
    public func contains(_ digest: AssetDigest) throws -> Bool {
        guard hasTables else { return false }
        // Not by a reader's SQL, which asks for tables that a database of an older version has not yet.
        let statement = try connection.statement("SELECT 1 FROM asset WHERE digest = ?")
        defer { statement.reset() }
        statement.bind(blob: digest.bytes, at: 1)
        return try statement.step()
    }
}

extension StoreInspection {
    /// Every use of a file is a record's, and names a file that is known.
    func assetFindings() throws -> [StoreFinding] {
        guard try connection.int("SELECT count(*) FROM sqlite_master WHERE name = 'asset_use'") > 0 else {
            return []
        }
        let hasVersions = try hasVersions
        let unknown =
            try connection.int(StoreSQL.usesOfUnknownAssets)
            + (hasVersions ? connection.int(StoreSQL.versionsOfUnknownAssets) : 0)
        let ownerless =
            try connection.int(StoreSQL.ownerlessAssetUses("count(*)"))
            + (hasVersions ? connection.int(StoreSQL.ownerlessVersionAssets("count(*)")) : 0)
        var findings: [StoreFinding] = []
        if unknown > 0 {
            findings.append(
                StoreFinding(
                    "assets", .problem, "\(unknown) fields of records refer to files that are not known.",
                    remedy: "Restore the last backup, or save these records without their files."))
        }
        if ownerless > 0 {
            findings.append(
                StoreFinding(
                    "assets", .problem, "\(ownerless) files are held for records that do not exist.",
                    remedy: Self.repairRemedy, isRepairable: true))
        }
        return findings.isEmpty
            ? [StoreFinding("assets", .good, "Every use of a file is a record's, and every file is known.")]
            : findings
    }
}
