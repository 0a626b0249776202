import RecordModel
import RecordStorage

/// All that takes no values of fields, and rows from copies, which carry them sealed.
extension SealedWriter {
    func nextSequence() throws -> Int64 { try writer.nextSequence() }
    func foresee(recordsNamed names: [String], in zone: Int64) throws {
        try writer.foresee(recordsNamed: names, in: zone)
    }
    func makeDatabase(_ id: DatabaseID) throws -> Int64 { try writer.makeDatabase(id) }
    func makeZone(named name: String, in database: Int64) throws -> ZoneRow {
        try writer.makeZone(named: name, in: database)
    }
    func deleteZone(_ zone: ZoneRow) throws { try writer.deleteZone(zone) }
    func store(databaseKey key: [UInt8], of database: Int64) throws {
        try writer.store(databaseKey: key, of: database)
    }
    func deleteCustomZones(of tenant: Tenant) throws { try writer.deleteCustomZones(of: tenant) }
    func makeType(named name: String, tenant: Tenant) throws -> RecordType {
        try writer.makeType(named: name, tenant: tenant)
    }
    func addField(_ field: FieldSchema, to recordType: RecordType, tenant: Tenant) throws -> RecordType {
        try writer.addField(field, to: recordType, tenant: tenant)
    }
    func setIndexes(_ indexes: FieldIndexes, ofField name: String, in recordType: RecordType, tenant: Tenant)
        throws
    { try writer.setIndexes(indexes, ofField: name, in: recordType, tenant: tenant) }
    func setDeclaration(
        _ declaration: FieldDeclaration, ofField name: String, in recordType: RecordType, tenant: Tenant
    ) throws { try writer.setDeclaration(declaration, ofField: name, in: recordType, tenant: tenant) }
    func removeField(named name: String, from recordType: RecordType, tenant: Tenant) throws -> RecordType {
        try writer.removeField(named: name, from: recordType, tenant: tenant)
    }
    func removeType(_ recordType: RecordType, tenant: Tenant) throws {
        try writer.removeType(recordType, tenant: tenant)
    }
    func setAnnotations(
        systemIndexes: [SystemFieldName: FieldIndexes], grants: [SecurityGrant]?, of recordType: RecordType,
        tenant: Tenant
    ) throws -> RecordType {
        try writer.setAnnotations(
            systemIndexes: systemIndexes, grants: grants, of: recordType, tenant: tenant)
    }
    func setRoles(_ roles: [String], tenant: Tenant) throws { try writer.setRoles(roles, tenant: tenant) }
    func setKeeping(_ keeping: VersionKeeping?, of recordType: RecordType, tenant: Tenant) throws
        -> RecordType
    { try writer.setKeeping(keeping, of: recordType, tenant: tenant) }
    func noteReturn(ofRecordNamed name: String, in zone: Int64) throws {
        try writer.noteReturn(ofRecordNamed: name, in: zone)
    }
    func forgetVersions(of group: VersionGroup, endedBefore time: Int64) throws -> Bool {
        try writer.forgetVersions(of: group, endedBefore: time)
    }
    func forgetVersions(ofRecordNamed name: String, in zone: Int64) throws {
        try writer.forgetVersions(ofRecordNamed: name, in: zone)
    }
    func noteAsset(_ content: AssetContent, at now: Int64) throws { try writer.noteAsset(content, at: now) }
    func dateReleasedAssets(at now: Int64, limit: Int) throws -> Int {
        try writer.dateReleasedAssets(at: now, limit: limit)
    }
    func removeAsset(_ digest: AssetDigest, unusedBefore time: Int64) throws -> Bool {
        try writer.removeAsset(digest, unusedBefore: time)
    }
    func append(_ change: LoggedChange) throws { try writer.append(change) }
    func watch(_ type: Int64, in database: Int64, at now: Int64) throws -> ChangeWatch {
        try writer.watch(type, in: database, at: now)
    }
    func deleteWatches(unusedSince time: Int64) throws { try writer.deleteWatches(unusedSince: time) }
    func forgetChanges(before time: Int64, at now: Int64) throws -> Bool {
        try writer.forgetChanges(before: time, at: now)
    }
    func keep(_ outcome: IdempotencyRecord, room: Int64) throws { try writer.keep(outcome, room: room) }
    func forgetKeptOutcomes(before time: Int64, limit: Int) throws -> Int {
        try writer.forgetKeptOutcomes(before: time, limit: limit)
    }
    func insert(_ row: AuditRow) throws { try writer.insert(row) }
    func restore(_ rows: [StoreRow]) throws { try writer.restore(rows) }
    func markUnfinishedCopy(_ isUnfinished: Bool) throws { try writer.markUnfinishedCopy(isUnfinished) }
    func store(_ row: [TableValue], in table: TableShape, replacing: Bool) throws {
        try writer.store(row, in: table, replacing: replacing)
    }
    func update(
        _ table: TableShape, set values: [(column: String, value: TableValue)],
        where conditions: [TableCondition]
    ) throws { try writer.update(table, set: values, where: conditions) }
    func remove(from table: TableShape, where conditions: [TableCondition]) throws {
        try writer.remove(from: table, where: conditions)
    }
    func announce(_ announcement: StoreAnnouncement) throws { try writer.announce(announcement) }
}
