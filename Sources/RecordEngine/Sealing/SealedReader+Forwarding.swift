import RecordModel
import RecordStorage

/// All that carries no values of fields, and rows for copies, which carry them sealed.
///
/// Written out on purpose: what is added to the protocol does not compile until somebody has decided on which side it
/// belongs.
extension SealedReader {
    func schema(of tenant: Tenant) throws -> Schema { try base.schema(of: tenant) }
    func foresee(_ foresight: PrefetchHint) throws { try base.foresee(foresight) }
    func database(_ id: DatabaseID) throws -> Int64? { try base.database(id) }
    func zone(named name: String, in database: Int64) throws -> ZoneRow? {
        try base.zone(named: name, in: database)
    }
    func zones(in database: Int64) throws -> [ZoneRow] { try base.zones(in: database) }
    func zones(in database: Int64, from name: String, limit: Int) throws -> [ZoneRow] {
        try base.zones(in: database, from: name, limit: limit)
    }
    func zones(in database: Int64, changedAfter sequence: Int64, limit: Int) throws -> [ZoneRow] {
        try base.zones(in: database, changedAfter: sequence, limit: limit)
    }
    func zone(numbered number: Int64) throws -> ZoneRow? { try base.zone(numbered: number) }
    func keyedDatabase(numbered number: Int64) throws -> KeyedDatabase? {
        try base.keyedDatabase(numbered: number)
    }
    func keyedDatabases(after number: Int64, limit: Int) throws -> [KeyedDatabase] {
        try base.keyedDatabases(after: number, limit: limit)
    }
    func referrers(to name: String, in zone: Int64, action: Reference.Action?, limit: Int) throws
        -> [ReferrerRow]
    { try base.referrers(to: name, in: zone, action: action, limit: limit) }
    func origin(ofRecordNamed name: String, in zone: Int64) throws -> RecordOrigin? {
        try base.origin(ofRecordNamed: name, in: zone)
    }
    func referenceCount(to name: String, in zone: Int64, action: Reference.Action, besides holder: String)
        throws -> Int
    { try base.referenceCount(to: name, in: zone, action: action, besides: holder) }
    func count(_ scan: RecordScan) throws -> Int { try base.count(scan) }
    func versionGroups(after group: VersionGroup?, limit: Int) throws -> [VersionGroup] {
        try base.versionGroups(after: group, limit: limit)
    }
    func versionUsage(of database: Int64) throws -> VersionUsage { try base.versionUsage(of: database) }
    func asset(_ digest: AssetDigest) throws -> AssetRow? { try base.asset(digest) }
    func assets(of tenant: Tenant, after digest: AssetDigest?, limit: Int) throws -> [AssetRow] {
        try base.assets(of: tenant, after: digest, limit: limit)
    }
    func assetUses(of digest: AssetDigest, in tenant: Tenant, limit: Int) throws -> [AssetUse] {
        try base.assetUses(of: digest, in: tenant, limit: limit)
    }
    func assetUsage(of tenant: Tenant) throws -> AssetUsage { try base.assetUsage(of: tenant) }
    func assets(unusedBefore time: Int64, limit: Int) throws -> [AssetDigest] {
        try base.assets(unusedBefore: time, limit: limit)
    }
    func oldestAsset() throws -> Int64? { try base.oldestAsset() }
    func usage(of database: Int64) throws -> StorageUsage { try base.usage(of: database) }
    func usage(of tenant: Tenant) throws -> StorageUsage { try base.usage(of: tenant) }
    func databaseUsages(of tenant: Tenant, limit: Int) throws -> [DatabaseUsage] {
        try base.databaseUsages(of: tenant, limit: limit)
    }
    func assetBytes(ofRecordNamed name: String, in zone: Int64) throws -> Int64 {
        try base.assetBytes(ofRecordNamed: name, in: zone)
    }
    var isUsageCounted: Bool { get throws { try base.isUsageCounted } }
    func lastSequence() throws -> Int64 { try base.lastSequence() }
    func tenants() throws -> [Tenant] { try base.tenants() }
    func watch(of type: Int64, in database: Int64) throws -> ChangeWatch? {
        try base.watch(of: type, in: database)
    }
    func forgottenChanges() throws -> Int64 { try base.forgottenChanges() }
    func keptOutcome(of key: [UInt8]) throws -> IdempotencyRecord? { try base.keptOutcome(of: key) }
    func audit(before id: Int64?, limit: Int) throws -> [AuditRow] {
        try base.audit(before: id, limit: limit)
    }
    func audit(of tenant: Tenant, subjects: [String], prefix: String?) throws -> [AuditRow] {
        try base.audit(of: tenant, subjects: subjects, prefix: prefix)
    }
    func databases(of tenant: Tenant) throws -> [Int64] { try base.databases(of: tenant) }
    func recordCount(of type: RecordType) throws -> Int { try base.recordCount(of: type) }
    func hasRecords(of type: RecordType) throws -> Bool { try base.hasRecords(of: type) }
    func customZoneCount(in database: Int64) throws -> Int { try base.customZoneCount(in: database) }
    func forgottenZones(in database: Int64) throws -> Int64 { try base.forgottenZones(in: database) }
    func pagedRows(of section: StoreSection, after last: StoreRow?, _ portion: CopyPortion) throws
        -> [StoreRow]
    { try base.pagedRows(of: section, after: last, portion) }
    func lastColumn(of type: RecordType) throws -> Int { try base.lastColumn(of: type) }
    func counters() throws -> StoreCounters { try base.counters() }
    func rows(of table: TableShape, _ query: TableQuery) throws -> [[TableValue]] {
        try base.rows(of: table, query)
    }
    func total(of column: String?, in table: TableShape, where conditions: [TableCondition]) throws -> Int64 {
        try base.total(of: column, in: table, where: conditions)
    }
}
