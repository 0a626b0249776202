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
        foreseen.forget(record.name, in: record.zone.id)
        noteLongTexts(of: record)
        var text = PostgresSQL(
            """
            INSERT INTO r\(record.type.id)
            (id, zone, name, created_by, created_at, sequence, modified_by, modified_at, parent, body
            """)
        let columns = record.fields.flatMap { field, value in
            zip(field.columns, field.columnValues(value)).map { (name: $0.name, value: $1) }
        }
        for column in columns { text.append(", \(column.name)") }
        text.append(") VALUES (")
        text.append(id)
        text.append(", ")
        text.append(record.zone.id)
        text.append(", ")
        text.append(text: record.name)
        text.append(", ")
        text.append(text: record.createdBy)
        text.append(", ")
        text.append(record.createdAt)
        for (value, type) in Self.state(record) {
            text.append(", ")
            text.append(value, type)
        }
        for column in columns {
            text.append(", ")
            text.append(column.value.value, column.value.type)
        }
        text.append(")")
        try write(text.command)
        usageChanges.add(
            StorageUsage(records: 1, recordBytes: Int64(record.body.count)), to: record.zone.database)
        try setDirectory(record, id: id)
        try insertReferences(record)
        try holdAssets(of: record)
    }

    /// What both a new and a changed record have, in the order of the columns.
    private static func state(_ record: NewRecord) -> [(PostgresValue, PostgresType)] {
        [
            (.int(record.sequence), .int8), (.text(PostgresText.encoded(record.modifiedBy)), .text),
            (.int(record.modifiedAt), .int8),
            (record.parent.map { .text(PostgresText.encoded($0)) } ?? .null, .text),
            (.bytes(record.body), .bytea),
        ]
    }

    func update(_ row: RecordRow, with record: NewRecord) throws {
        foreseen.forget(row.name, in: row.zone)
        noteLongTexts(of: record)
        let given = Dictionary(
            record.fields.map { ($0.field.column, $0.value) }, uniquingKeysWith: { first, _ in first })
        var text = PostgresSQL("UPDATE r\(record.type.id) SET ")
        let names = ["sequence", "modified_by", "modified_at", "parent", "body"]
        for (index, (name, state)) in zip(names, Self.state(record)).enumerated() {
            text.append(index == 0 ? "\(name) = " : ", \(name) = ")
            text.append(state.0, state.1)
        }
        for field in record.type.fields {
            for (column, value) in zip(field.columns, field.columnValues(given[field.column])) {
                text.append(", \(column.name) = ")
                text.append(value.value, value.type)
            }
        }
        if record.createdBy != row.createdBy || record.createdAt != row.createdAt {
            text.append(", created_by = ")
            text.append(text: record.createdBy)
            text.append(", created_at = ")
            text.append(record.createdAt)
        }
        text.append(" WHERE id = ")
        text.append(row.id)
        try write(text.command)
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
        foreseen.forget(row.name, in: row.zone)
        try write(
            PostgresStatement(
                "UPDATE r\(row.type) SET sequence = $1, body = $2 WHERE id = $3", .int8, .bytea, .int8),
            .int(sequence), .bytes(body), .int(row.id))
        usageChanges.add(
            StorageUsage(recordBytes: Int64(body.count - row.bodyBytes)), to: zone.database)
        try log(.retagged, row, in: zone, sequence: sequence, after: body)
        guard zone.isTracked else { return }
        try write(
            Self.retagStatement, .int(sequence), .int(row.zone), .text(PostgresText.encoded(row.name)))
        try touch(zone, sequence: sequence)
    }

    func delete(_ row: RecordRow, in zone: ZoneRow, sequence: Int64) throws {
        foreseen.forget(row.name, in: row.zone)
        try log(.deleted, row, in: zone, sequence: sequence, after: nil)
        try write(PostgresStatement("DELETE FROM r\(row.type) WHERE id = $1", .int8), .int(row.id))
        usageChanges.add(
            StorageUsage(records: -1, recordBytes: Int64(-row.bodyBytes)), to: zone.database)
        try deleteReferences(of: row.name, in: row.zone)
        try releaseAssets(ofRecord: row.name, in: row.zone)
        let name = PostgresValue.text(PostgresText.encoded(row.name))
        if zone.isTracked {
            try write(Self.buryStatement, .int(sequence), .int(row.zone), name)
            try touch(zone, sequence: sequence)
        } else {
            try write(Self.forgetStatement, .int(row.zone), name)
        }
    }

    private static let retagStatement = PostgresStatement(
        "UPDATE directory SET sequence = $1 WHERE zone = $2 AND name = $3", .int8, .int8, .text)
    private static let buryStatement = PostgresStatement(
        "UPDATE directory SET deleted = true, sequence = $1 WHERE zone = $2 AND name = $3", .int8, .int8,
        .text)
    private static let forgetStatement = PostgresStatement(
        "DELETE FROM directory WHERE zone = $1 AND name = $2", .int8, .text)
    /// Over the tombstone of an earlier record of the name, or the entry of the one that is changed.
    private static let directoryStatement = PostgresStatement(
        """
        INSERT INTO directory (zone, name, type, id, sequence, tracked, deleted)
        VALUES ($1, $2, $3, $4, $5, $6, false)
        ON CONFLICT (zone, name) DO UPDATE SET
            type = excluded.type, id = excluded.id, sequence = excluded.sequence, deleted = false
        """, .int8, .text, .int8, .int8, .int8, .bool)
    /// Changes come in the order of their numbers, but for those that are restored.
    private static let touchStatement = PostgresStatement(
        "UPDATE zone SET sequence = greatest(sequence, $1) WHERE id = $2", .int8, .int8)

    private func setDirectory(_ record: NewRecord, id: Int64) throws {
        try write(
            Self.directoryStatement, .int(record.zone.id), .text(PostgresText.encoded(record.name)),
            .int(record.type.id), .int(id), .int(record.sequence), .bool(record.zone.isTracked))
        if record.zone.isTracked { try touch(record.zone, sequence: record.sequence) }
    }

    private func touch(_ zone: ZoneRow, sequence: Int64) throws {
        try write(Self.touchStatement, .int(sequence), .int(zone.id))
    }

    private static let insertReferenceStatement = PostgresStatement(
        """
        INSERT INTO reference (zone, target, owner, field, action) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (zone, target, owner, field) DO UPDATE SET action = excluded.action
        """, .int8, .text, .text, .text, .text)
    private static let deleteReferencesStatement = PostgresStatement(
        "DELETE FROM reference WHERE zone = $1 AND owner = $2", .int8, .text)

    private func insertReferences(_ record: NewRecord) throws {
        if !record.references.isEmpty { foreseen.referrers = nil }
        for (field, reference) in record.references {
            try write(
                Self.insertReferenceStatement, .int(record.zone.id),
                .text(PostgresText.encoded(reference.recordName)), .text(PostgresText.encoded(record.name)),
                .text(field), .text(reference.action.rawValue))
        }
    }

    private func deleteReferences(of owner: String, in zone: Int64) throws {
        foreseen.forgetReferences(of: owner, in: zone)
        try write(Self.deleteReferencesStatement, .int(zone), .text(PostgresText.encoded(owner)))
    }
}
