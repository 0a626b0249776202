internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage
internal import RecordWire

extension MemoryWriter {
    func restore(_ rows: [StoreRow]) throws {
        for row in rows {
            switch row {
            case .tenant(let tenant, let roles):
                makeTenant(tenant)
                try setRoles(roles, tenant: tenant)
            case .type(let row):
                state.schemas[row.tenant, default: Schema()].set(row.type)
                state.lastColumns[row.type.id] = row.lastColumn
                state.lastType = max(state.lastType, row.type.id)
            case .database(let row):
                state.databases[row.id] = row.number
                state.databaseIDs[row.number] = row.id
                state.forgottenZones[row.number] = row.forgottenUntil
                state.databaseKeys[row.number] = row.key
                state.lastDatabase = max(state.lastDatabase, row.number)
            case .zone(let zone): restore(zone)
            case .record(let record): try restore(record)
            case .asset(let content, let createdAt, let unusedSince):
                state.assets[content.digest] = AssetEntry(
                    size: content.size, createdAt: createdAt, unusedSince: unusedSince)
            case .version(let row): state.versions.insert(row)
            case .audit(let row):
                state.audit.append(row)
                state.lastAudit = row.id
            case .described(let row):
                guard let table = Catalogue.shape(of: row.section) else { continue }
                try store(row.values, in: table, replacing: false)
            case .counters(let counters):
                state.sequence = max(state.sequence, counters.sequence)
                state.lastZone = max(state.lastZone, counters.zone)
                state.lastType = max(state.lastType, counters.type)
                state.lastAudit = max(state.lastAudit, counters.audit)
                state.changeLog.forget(upTo: counters.forgottenChanges)
            }
        }
    }

    /// Nobody can open what is in memory.
    func markUnfinishedCopy(_ isUnfinished: Bool) throws {}

    private func restore(_ zone: ZoneRow) {
        state.zones[zone.id] = zone
        state.zonesOfDatabases[zone.database, default: []].insert(zone.id)
        state.lastZone = max(state.lastZone, zone.id)
        state.sequence = max(state.sequence, zone.sequence)
        guard !zone.isDeleted else { return }
        state.zoneNames[MemoryState.ZoneKey(database: zone.database, name: zone.name)] = zone.id
        state.contents[zone.id] = ZoneContents()
    }

    private func restore(_ record: CopiedRecord) throws {
        guard let zone = state.zones[record.zone] else {
            throw StorageError.engine("A record is in a zone that is missing.")
        }
        guard let body = record.state?.body else {
            state.contents[zone.id]?.entries[ExactText(record.name)] = RecordEntry(
                id: record.id, type: record.type, sequence: record.sequence, record: nil)
            return
        }
        guard let type = state.schemas.recordType(record.type) else {
            throw StorageError.engine("The record '\(record.name)' is of a type that is missing.")
        }
        let fields = try RecordBody.indexedFields(of: body, type: type)
        guard let new = record.newRecord(zone: zone, type: type, fields: fields) else { return }
        store(new, id: record.id)
        state.zones[zone.id] = zone
    }
}
