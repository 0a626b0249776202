internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

extension MemoryReader {
    func pagedRows(
        of section: StoreSection, after last: StoreRow?, _ portion: CopyPortion
    ) throws -> [StoreRow] {
        switch (section, last) {
        case (.databases, .database(let row)?): page(databases(), portion) { $0.number > row.number }
        case (.databases, _): page(databases(), portion)
        case (.zones, .zone(let row)?): page(zones(), portion) { $0.id > row.id }
        case (.zones, _): page(zones(), portion)
        case (.records, _): records(after: last, portion)
        case (.assets, .asset(let content, _, _)?): assets(after: content.digest, portion)
        case (.assets, _): assets(after: nil, portion)
        case (.versions, _): versions(after: last, portion)
        default: []
        }
    }

    func lastColumn(of type: RecordType) throws -> Int {
        max(state.lastColumns[type.id] ?? 0, type.fields.map(\.column).max() ?? 0)
    }

    func counters() throws -> StoreCounters {
        StoreCounters(
            sequence: state.sequence, zone: state.lastZone, type: state.lastType, audit: state.lastAudit,
            forgottenChanges: state.changeLog.horizon)
    }

    private func page(
        _ rows: [CopiedDatabase], _ portion: CopyPortion,
        where isWanted: (CopiedDatabase) -> Bool = { _ in true }
    ) -> [StoreRow] {
        rows.filter(isWanted).prefix(portion.rows).map { .database($0) }
    }

    private func page(
        _ rows: [ZoneRow], _ portion: CopyPortion, where isWanted: (ZoneRow) -> Bool = { _ in true }
    ) -> [StoreRow] {
        rows.filter(isWanted).prefix(portion.rows).map { .zone($0) }
    }

    private func databases() -> [CopiedDatabase] {
        state.databaseIDs
            .map { number, id in
                CopiedDatabase(
                    number: number, id: id, forgottenUntil: state.forgottenZones[number] ?? 0,
                    key: state.databaseKeys[number])
            }
            .sorted { $0.number < $1.number }
    }

    private func zones() -> [ZoneRow] { state.zones.map(\.value).sorted { $0.id < $1.id } }

    private func records(after last: StoreRow?, _ portion: CopyPortion) -> [StoreRow] {
        var start: (zone: Int64, name: String?) = (0, nil)
        if case .record(let row)? = last { start = (row.zone, row.name) }
        var rows: [StoreRow] = []
        var room = portion.bytes
        for zone in state.contents.keys.sorted() where zone >= start.zone {
            let entries = (state.contents[zone]?.entries ?? [:])
                .filter { name, _ in
                    guard let last = start.name, zone == start.zone else { return true }
                    return ExactText(last) < name
                }
                .sorted { $0.key < $1.key }
            for (name, entry) in entries {
                guard room > 0, rows.count < portion.rows else { return rows }
                room -= entry.record?.body.count ?? 0
                rows.append(
                    .record(
                        CopiedRecord(
                            zone: zone, name: name.text, type: entry.type, id: entry.id,
                            sequence: entry.sequence,
                            state: entry.record.map { Self.state(of: $0) })))
            }
        }
        return rows
    }

    private static func state(of record: StoredRecord) -> CopiedRecord.State {
        var state = CopiedRecord.State(
            createdBy: record.createdBy, createdAt: record.createdAt, modifiedBy: record.modifiedBy,
            modifiedAt: record.modifiedAt, parent: record.parent, body: record.body)
        // One field's reference to a record is one, with the last action that was given, as `referrers` has it.
        var actions: [CopiedReference.Key: Reference.Action] = [:]
        for (target, row) in record.references {
            actions[CopiedReference.Key(field: row.field, target: target)] = row.action
        }
        state.references = actions.map {
            CopiedReference(field: $0.key.field, target: $0.key.target, action: $0.value)
        }
        .sorted { [$0.field, $0.target].precedes([$1.field, $1.target]) }
        state.assets = Set(record.assets.map { CopiedAssetUse(field: $0.field, digest: $0.digest) })
            .sorted { [$0.field, $0.digest.hex].precedes([$1.field, $1.digest.hex]) }
        return state
    }

    private func assets(after last: AssetDigest?, _ portion: CopyPortion) -> [StoreRow] {
        let first = last?.bytes ?? []
        return state.assets.filter { first.lexicographicallyPrecedes($0.key.bytes) }
            .sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
            .prefix(portion.rows)
            .map { digest, entry in
                .asset(
                    AssetContent(digest: digest, size: entry.size), createdAt: entry.createdAt,
                    unusedSince: entry.unusedSince)
            }
    }

    private func versions(after last: StoreRow?, _ portion: CopyPortion) -> [StoreRow] {
        var first: Int64 = 0
        if case .version(let row)? = last { first = row.id }
        var rows: [StoreRow] = []
        var room = portion.bytes
        for version in state.versions.all.filter({ $0.id > first }).sorted(by: { $0.id < $1.id }) {
            guard room > 0, rows.count < portion.rows else { break }
            room -= version.body.count
            rows.append(.version(version))
        }
        return rows
    }
}

extension CopiedReference {
    fileprivate struct Key: Hashable {
        var field: String
        @ExactText var target: String
    }
}
