internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

/// Does what one write asks for, on a copy of the state.
final class MemoryWriter: MemoryReader, StoreWriter {
    /// Whether changes were logged.
    var hasLogged = false
    /// Whether something was taken away from callers: a token, a session, a user or a role.
    var hasRevoked = false
    /// Whether a type goes, whose records have no entries of their own in the log.
    var isRemovingType = false

    func nextSequence() throws -> Int64 {
        guard state.sequence < RowID.lastSequence else {
            throw StorageError.usedUp("changes")
        }
        state.sequence += 1
        return state.sequence
    }

    // MARK: Databases and zones

    func makeTenant(_ tenant: Tenant) {
        guard state.schemas[tenant] == nil else { return }
        state.tenants.append(tenant)
        state.schemas[tenant] = Schema()
    }

    func makeDatabase(_ id: DatabaseID) throws -> Int64 {
        if let number = state.databases[id] { return number }
        makeTenant(id.tenant)
        state.lastDatabase += 1
        state.databases[id] = state.lastDatabase
        state.databaseIDs[state.lastDatabase] = id
        _ = try makeZone(named: ZoneID.defaultName, in: state.lastDatabase)
        return state.databases[id] ?? state.lastDatabase
    }

    func makeZone(named name: String, in database: Int64) throws -> ZoneRow {
        let key = MemoryState.ZoneKey(database: database, name: name)
        guard state.zoneNames[key] == nil else {
            throw StorageError.engine("The zone '\(name)' already exists.")
        }
        guard state.lastZone < RowID.lastZone else { throw StorageError.usedUp("zones") }
        state.lastZone += 1
        let zone = ZoneRow(
            id: state.lastZone, database: database, name: name, sequence: try nextSequence(),
            isDeleted: false)
        state.zones[zone.id] = zone
        state.zoneNames[key] = zone.id
        state.zonesOfDatabases[database, default: []].insert(zone.id)
        state.contents[zone.id] = ZoneContents()
        log(.zoneCreated, zone, sequence: zone.sequence)
        return zone
    }

    func store(databaseKey key: [UInt8], of database: Int64) throws { state.databaseKeys[database] = key }

    func deleteZone(_ zone: ZoneRow) throws {
        for (name, entry) in state.contents[zone.id]?.entries ?? [:] {
            if let record = entry.record { release(record.assets, of: name.text, in: zone.id) }
        }
        forgetVersions(ofZone: zone.id)
        state.contents[zone.id] = nil
        state.zoneNames[MemoryState.ZoneKey(database: zone.database, name: zone.name)] = nil
        let sequence = try nextSequence()
        state.zones[zone.id]?.sequence = sequence
        state.zones[zone.id]?.isDeleted = true
        log(.zoneDeleted, zone, sequence: sequence)
        try remove(
            from: Catalogue.subscriptions, where: TableCondition("database", .equal, zone.database),
            TableCondition("zone", .equal, zone.id))
    }

    // MARK: Records

    func insert(_ record: NewRecord) throws {
        guard state.contents[record.zone.id]?.entries[ExactText(record.name)]?.record == nil else {
            throw StorageError.engine("The record '\(record.name)' already exists.")
        }
        let id = RowID.make(zone: record.zone.id, sequence: record.sequence)
        store(record, id: id)
        log(.created, of: record, id: id, before: nil)
    }

    func update(_ row: RecordRow, with record: NewRecord) throws {
        let old = try taken(row.name, in: row.zone)
        store(record, id: row.id, over: old)
        log(.updated, of: record, id: row.id, before: old.body)
    }

    func retag(_ row: RecordRow, in zone: ZoneRow, sequence: Int64, body: [UInt8]) throws {
        guard let old = state.contents[row.zone]?.entries[ExactText(row.name)]?.record else {
            throw Self.missingRecord
        }
        log(.retagged, row, in: zone, sequence: sequence, before: old.body, after: body)
        state.contents[row.zone]?.entries[ExactText(row.name)]?.record?.body = body
        state.contents[row.zone]?.entries[ExactText(row.name)]?.sequence = sequence
        touch(zone, sequence)
    }

    func delete(_ row: RecordRow, in zone: ZoneRow, sequence: Int64) throws {
        let old = try taken(row.name, in: row.zone)
        log(.deleted, row, in: zone, sequence: sequence, before: old.body, after: nil)
        guard zone.isTracked else {
            state.contents[row.zone]?.entries[ExactText(row.name)] = nil
            return
        }
        state.contents[row.zone]?.entries[ExactText(row.name)] = RecordEntry(
            id: row.id, type: row.type, sequence: sequence, record: nil)
        touch(zone, sequence)
    }

    private static let missingRecord = StorageError.engine("A record to be changed is missing.")

    private func touch(_ zone: ZoneRow, _ sequence: Int64) {
        if zone.isTracked { state.zones[zone.id]?.sequence = sequence }
    }

    /// Stores a record that has its number already.
    func store(_ record: NewRecord, id: Int64, over old: StoredRecord? = nil) {
        var values = old?.values ?? [:]
        for field in record.type.fields where !field.indexes.isEmpty { values[field.column] = nil }
        for (field, value) in record.fields { values[field.column] = value }
        let references = record.references.map { field, reference in
            (
                target: reference.recordName,
                row: ReferrerRow(name: record.name, field: field, action: reference.action)
            )
        }
        state.contents[record.zone.id]?.entries[ExactText(record.name)] = RecordEntry(
            id: id, type: record.type.id, sequence: record.sequence,
            record: StoredRecord(
                createdBy: record.createdBy, createdAt: record.createdAt, modifiedBy: record.modifiedBy,
                modifiedAt: record.modifiedAt, parent: record.parent, values: values,
                references: references, assets: record.assets, body: record.body))
        for (target, row) in references {
            var rows = state.contents[record.zone.id]?.referrers[ExactText(target)] ?? []
            // One field's reference to a record is one, with the last action that was given.
            rows = rows.filter { !$0.name.isExactly(row.name) || $0.field != row.field }
            rows.insert(row)
            state.contents[record.zone.id]?.referrers[ExactText(target)] = rows
        }
        hold(record.assets, of: record.name, in: record.zone.id)
        touch(record.zone, record.sequence)
    }

    /// Takes out what a record holds besides itself.
    private func taken(_ name: String, in zone: Int64) throws -> StoredRecord {
        guard let record = state.contents[zone]?.entries[ExactText(name)]?.record else {
            throw Self.missingRecord
        }
        for (target, _) in record.references {
            guard
                let rows = state.contents[zone]?.referrers[ExactText(target)]?.filter({
                    !$0.name.isExactly(name)
                })
            else {
                continue
            }
            state.contents[zone]?.referrers[ExactText(target)] = rows.isEmpty ? nil : rows
        }
        release(record.assets, of: name, in: zone)
        return record
    }
}
