internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresWriter {
    func insert(_ record: NewRecord) throws {
        let id = RowID.make(zone: record.zone.id, sequence: record.sequence)
        try insert(record, id: id)
        try log(.created, of: record, id: id, before: nil)
    }

    /// Stores a record that has its number already.
    func insert(_ record: NewRecord, id: Int64) throws {
        noteLongTexts(of: record)
        try enter(.insert(PostgresWrite.RecordState(record, id: id)))
        foreseen.set(record.row(id: id), named: record.name, in: record.zone.id)
        usageChanges.add(
            StorageUsage(records: 1, recordBytes: Int64(record.body.count)), to: record.zone.database)
        try setDirectory(record, id: id)
        try insertReferences(record)
        try holdAssets(of: record)
    }

    func update(_ row: RecordRow, with record: NewRecord) throws {
        noteLongTexts(of: record)
        try enter(.update(PostgresWrite.RecordState(record, id: row.id)))
        foreseen.set(record.row(id: row.id), named: row.name, in: row.zone)
        usageChanges.add(
            StorageUsage(recordBytes: Int64(record.body.count - row.bodyBytes)), to: record.zone.database)
        if record.zone.isTracked { try setDirectory(record, id: row.id) }
        // Also where the type has no reference: the record may have had a parent.
        try deleteReferences(of: row.name, in: row.zone)
        try insertReferences(record)
        if record.type.hasAssets {
            try releaseAssets(ofRecord: row.name, in: row.zone)
            try holdAssets(of: record)
        }
        try log(.updated, of: record, id: row.id, before: row.body)
    }

    func retag(_ row: RecordRow, in zone: ZoneRow, sequence: Int64, body: [UInt8]) throws {
        let changed = RecordRow(
            id: row.id, zone: row.zone, type: row.type, name: row.name, sequence: sequence,
            createdBy: row.createdBy, createdAt: row.createdAt, body: body)
        try enter(
            PostgresStatement(
                "UPDATE r\(row.type) SET sequence = $1, body = $2 WHERE id = $3", .int8, .bytea, .int8),
            .int(sequence), .bytes(body), .int(row.id))
        foreseen.set(changed, named: row.name, in: row.zone)
        usageChanges.add(
            StorageUsage(recordBytes: Int64(body.count - row.bodyBytes)), to: zone.database)
        try log(.retagged, row, in: zone, sequence: sequence, after: body)
        guard zone.isTracked else { return }
        try enter(
            Self.retagStatement, .int(sequence), .int(row.zone), .text(PostgresText.encoded(row.name)))
        try touch(zone, sequence: sequence)
    }

    func delete(_ row: RecordRow, in zone: ZoneRow, sequence: Int64) throws {
        try log(.deleted, row, in: zone, sequence: sequence, after: nil)
        foreseen.set(nil, named: row.name, in: row.zone)
        try enter(PostgresStatement("DELETE FROM r\(row.type) WHERE id = $1", .int8), .int(row.id))
        usageChanges.add(
            StorageUsage(records: -1, recordBytes: Int64(-row.bodyBytes)), to: zone.database)
        try deleteReferences(of: row.name, in: row.zone)
        try releaseAssets(ofRecord: row.name, in: row.zone)
        let name = PostgresValue.text(PostgresText.encoded(row.name))
        if zone.isTracked {
            try enter(Self.buryStatement, .int(sequence), .int(row.zone), name)
            try touch(zone, sequence: sequence)
        } else {
            try enter(Self.forgetStatement, .int(row.zone), name)
        }
    }

    private static let retagStatement = PostgresStatement(
        "UPDATE directory SET sequence = $1 WHERE zone = $2 AND name = $3", .int8, .int8, .text)
    private static let buryStatement = PostgresStatement(
        "UPDATE directory SET deleted = true, sequence = $1 WHERE zone = $2 AND name = $3", .int8, .int8,
        .text)
    private static let forgetStatement = PostgresStatement(
        "DELETE FROM directory WHERE zone = $1 AND name = $2", .int8, .text)

    private func setDirectory(_ record: NewRecord, id: Int64) throws {
        try enter(
            .entry(
                PostgresWrite.DirectoryEntry(
                    zone: record.zone.id, name: record.name, type: record.type.id, id: id,
                    sequence: record.sequence, isTracked: record.zone.isTracked)))
        if record.zone.isTracked { try touch(record.zone, sequence: record.sequence) }
    }

    private func touch(_ zone: ZoneRow, sequence: Int64) throws {
        foreseen.raise(zone, to: sequence)
        try enter(.touch(zone: zone.id, sequence: sequence))
    }

    private func insertReferences(_ record: NewRecord) throws {
        for (field, reference) in record.references {
            foreseen.addReference(to: reference.recordName, in: record.zone.id)
            let key = PostgresWrite.ReferenceEntry.Key(
                zone: record.zone.id, target: reference.recordName, owner: record.name, field: field)
            try enter(
                .reference(PostgresWrite.ReferenceEntry(key: key, action: reference.action.rawValue)))
        }
    }

    private func deleteReferences(of owner: String, in zone: Int64) throws {
        foreseen.removeReferences(of: owner, in: zone)
        try enter(.endReferences(zone: zone, owner: owner))
    }
}

extension NewRecord {
    /// The record as it is read once it is stored.
    fileprivate func row(id: Int64) -> RecordRow {
        RecordRow(
            id: id, zone: zone.id, type: type.id, name: name, sequence: sequence, createdBy: createdBy,
            createdAt: createdAt, body: body)
    }
}
