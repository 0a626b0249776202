import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteWriter {
    func insert(_ record: NewRecord) throws {
        let id = RowID.make(zone: record.zone.id, sequence: record.sequence)
        try insert(record, id: id)
        try log(.created, of: record, id: id, before: nil)
    }

    /// Stores a record that has its number already.
    func insert(_ record: NewRecord, id: Int64) throws {
        try clearName(of: record)
        var columns =
            "id, zone, name, created_by, created_at, sequence, modified_by, modified_at, parent"
        var marks = "?, ?, ?, ?, ?, ?, ?, ?, ?"
        for (field, value) in record.fields {
            for column in ColumnValues.names(of: field, value) {
                columns += ", \(column)"
                marks += ", ?"
            }
        }
        for index in catalog.indexes[record.type.id] ?? [] where index.takesRows {
            columns += ", i\(index.slot ?? 0)"
            marks += ", 1"
        }
        let statement = try connection.statement(
            "INSERT INTO r\(record.type.id) (\(columns)) VALUES (\(marks))")
        statement.bind(id, at: 1)
        statement.bind(record.zone.id, at: 2)
        statement.bind(record.name, at: 3)
        statement.bind(record.createdBy, at: 4)
        statement.bind(record.createdAt, at: 5)
        let next = bindState(record, to: statement, from: 6)
        statement.bind(record.fields.flatMap { ColumnValues.values(of: $0.field, $0.value) }, from: next)
        try statement.run()
        try setBody(record.body, ofRow: id, type: record.type.id)
        count(
            StorageUsage(records: 1, recordBytes: Int64(record.body.count)), row: id, type: record.type.id,
            in: record.zone.database)
        try setDirectory(record, id: id)
        try insertReferences(record)
        try holdAssets(of: record)
    }

    /// Bodies live apart from columns: what is searched stays small, and what is sent lies dense.
    private func setBody(_ body: [UInt8], ofRow id: Int64, type: Int64) throws {
        let statement = try connection.statement(
            "INSERT INTO b\(type) (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body"
        )
        statement.bind(id, at: 1)
        statement.bind(blob: body, at: 2)
        try statement.run()
    }

    /// Puts a body in the place of the one that a row has.
    func replaceBody(ofRow id: Int64, type: Int64, in database: Int64, with body: [UInt8]) throws {
        let grown = try Int64(body.count) - bodyLength(ofRow: id, type: type)
        count(StorageUsage(recordBytes: grown), row: id, type: type, in: database)
        try setBody(body, ofRow: id, type: type)
    }

    /// Takes away what a record of a removed type still holds under the name of a new one.
    private func clearName(of record: NewRecord) throws {
        guard !catalog.removedTypes.isEmpty else { return }
        let entry = try connection.statement(
            "SELECT type FROM directory WHERE zone = ? AND name = ? AND deleted = 0")
        defer { entry.reset() }
        entry.bind(record.zone.id, at: 1)
        entry.bind(record.name, at: 2)
        guard try entry.step() else { return }
        assert(catalog.removedTypes.contains(entry.int(0)), "The name of a new record has to be free.")
        entry.reset()
        try deleteReferences(of: record.name, in: record.zone.id)
        try releaseAssets(ofRecord: record.name, in: record.zone.id)
    }

    func update(_ row: RecordRow, with record: NewRecord) throws {
        try settle(row)
        var assignments = "sequence = ?, modified_by = ?, modified_at = ?, parent = ?"
        var values: [StorageValue] = []
        let given = Dictionary(
            record.fields.map { ($0.field.column, $0.value) }, uniquingKeysWith: { first, _ in first })
        for field in record.type.fields where ColumnValues.hasColumn(field) {
            for (column, value) in zip(
                ColumnValues.names(of: field), ColumnValues.padded(given[field.column], field))
            {
                assignments += ", \(column) = ?"
                values.append(value)
            }
        }
        let statement = try connection.statement("UPDATE r\(record.type.id) SET \(assignments) WHERE id = ?")
        let next = bindState(record, to: statement, from: 1)
        statement.bind(values, from: next)
        statement.bind(row.id, at: next + Int32(values.count))
        try statement.run()
        if record.createdBy != row.createdBy || record.createdAt != row.createdAt {
            try run(
                "UPDATE r\(record.type.id) SET created_by = ?, created_at = ? WHERE id = ?",
                .text(record.createdBy), .int(record.createdAt), .int(row.id))
        }
        try replaceBody(
            ofRow: row.id, type: record.type.id, in: record.zone.database, with: record.body)
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
        try settle(row)
        try run("UPDATE r\(row.type) SET sequence = ? WHERE id = ?", .int(sequence), .int(row.id))
        try replaceBody(ofRow: row.id, type: row.type, in: zone.database, with: body)
        try log(.retagged, row, in: zone, sequence: sequence, after: body)
        guard zone.isTracked else { return }
        try run(
            "UPDATE directory SET sequence = ? WHERE zone = ? AND name = ?", .int(sequence), .int(row.zone),
            .text(row.name))
        try touch(zone, sequence: sequence)
    }

    /// Binds what both a new and a changed record have, and gives the next position.
    private func bindState(_ record: NewRecord, to statement: Statement, from position: Int32) -> Int32 {
        statement.bind(record.sequence, at: position)
        statement.bind(record.modifiedBy, at: position + 1)
        statement.bind(record.modifiedAt, at: position + 2)
        statement.bind(record.parent, at: position + 3)
        return position + 4
    }

    func delete(_ row: RecordRow, in zone: ZoneRow, sequence: Int64) throws {
        try log(.deleted, row, in: zone, sequence: sequence, after: nil)
        try run("DELETE FROM r\(row.type) WHERE id = ?", .int(row.id))
        let body = try connection.statement("DELETE FROM b\(row.type) WHERE id = ? RETURNING length(body)")
        defer { body.reset() }
        body.bind(row.id, at: 1)
        if try body.step() {
            count(
                StorageUsage(records: -1, recordBytes: -body.int(0)), row: row.id, type: row.type,
                in: zone.database)
        }
        try deleteReferences(of: row.name, in: row.zone)
        try releaseAssets(ofRecord: row.name, in: row.zone)
        if zone.isTracked {
            try run(
                "UPDATE directory SET deleted = 1, sequence = ? WHERE zone = ? AND name = ?",
                .int(sequence), .int(row.zone), .text(row.name))
            try touch(zone, sequence: sequence)
        } else {
            try run("DELETE FROM directory WHERE zone = ? AND name = ?", .int(row.zone), .text(row.name))
        }
    }

    /// Enters a record into the directory, over the tombstone of an earlier one of its name.
    private func setDirectory(_ record: NewRecord, id: Int64) throws {
        let statement = try connection.statement(
            """
            INSERT INTO directory (zone, name, type, id, sequence, tracked, deleted) VALUES (?, ?, ?, ?, ?, ?, 0)
            ON CONFLICT (zone, name) DO UPDATE SET
                type = excluded.type, id = excluded.id, sequence = excluded.sequence, deleted = 0
            """)
        statement.bind(record.zone.id, at: 1)
        statement.bind(record.name, at: 2)
        statement.bind(record.type.id, at: 3)
        statement.bind(id, at: 4)
        statement.bind(record.sequence, at: 5)
        statement.bind(record.zone.isTracked ? 1 as Int64 : 0, at: 6)
        try statement.run()
        if record.zone.isTracked { try touch(record.zone, sequence: record.sequence) }
    }

    private func touch(_ zone: ZoneRow, sequence: Int64) throws {
        // Changes come in the order of their numbers, but for those that are restored.
        try run("UPDATE zone SET sequence = max(sequence, ?) WHERE id = ?", .int(sequence), .int(zone.id))
    }

    private func insertReferences(_ record: NewRecord) throws {
        for (field, reference) in record.references {
            try run(
                "INSERT OR REPLACE INTO reference (zone, target, owner, field, action) VALUES (?, ?, ?, ?, ?)",
                .int(record.zone.id), .text(reference.recordName), .text(record.name), .text(field),
                .text(reference.action.rawValue))
        }
    }

    func deleteReferences(of owner: String, in zone: Int64) throws {
        try run("DELETE FROM reference WHERE zone = ? AND owner = ?", .int(zone), .text(owner))
    }
}
