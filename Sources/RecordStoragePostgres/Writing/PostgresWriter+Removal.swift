internal import PostgresAccess
internal import RecordModel
internal import RecordStorage
internal import RecordWire

extension PostgresWriter {
    func removeField(named name: String, from recordType: RecordType, tenant: Tenant) throws -> RecordType {
        guard let field = recordType[name] else { return recordType }
        let id = recordType.id
        let update = PostgresStatement(
            """
            WITH old AS (SELECT zone, octet_length(body) AS bytes FROM r\(id) WHERE id = $2),
            new AS (UPDATE r\(id) SET body = $1 WHERE id = $2)
            UPDATE database SET record_bytes = record_bytes + octet_length($1) - old.bytes
            FROM old JOIN zone ON zone.id = old.zone WHERE database.id = zone.database
            """, .bytea, .int8)
        try eachBody(of: recordType) { row, body in
            guard let shorter = try Self.body(body, withoutField: name) else { return }
            try write(update, .bytes(shorter), .int(row))
        }
        try write(Self.deleteReferencesOfFieldStatement, .text(name), .int(id))
        try releaseAssets(ofField: name, ofType: id)
        for (column, _) in field.columns {
            try write(PostgresCommand(sql: "ALTER TABLE r\(id) DROP COLUMN IF EXISTS \(column)"))
        }
        try write(
            PostgresStatement("DELETE FROM field WHERE type = $1 AND number = $2", .int8, .int8), .int(id),
            .int(Int64(field.column)))
        try write(
            PostgresStatement(
                "UPDATE record_type SET last_field = greatest(last_field, $1) WHERE id = $2", .int8, .int8),
            .int(Int64(field.column)), .int(id))
        var changed = recordType
        changed.remove(fieldNamed: name)
        take(changed, tenant: tenant)
        return changed
    }

    private static let ofType = """
        EXISTS (SELECT 1 FROM directory WHERE directory.zone = reference.zone
            AND directory.name = reference.owner AND directory.type = $TYPE AND NOT directory.deleted)
        """
    private static let deleteReferencesOfFieldStatement = PostgresStatement(
        "DELETE FROM reference WHERE field = $1 AND " + ofType.replacing("$TYPE", with: "$2"), .text, .int8)
    private static let deleteReferencesOfTypeStatement = PostgresStatement(
        "DELETE FROM reference WHERE " + ofType.replacing("$TYPE", with: "$1"), .int8)

    func removeType(_ recordType: RecordType, tenant: Tenant) throws {
        let id = recordType.id
        try endWatches(ofType: recordType)
        try write(Self.deleteReferencesOfTypeStatement, .int(id))
        try releaseAssets(ofType: id)
        try buryTracked(type: id)
        try write(
            PostgresStatement("DELETE FROM directory WHERE type = $1 AND NOT deleted", .int8), .int(id))
        try write(PostgresCommand(sql: Self.removal(ofType: id, where: "true")))
        try write(PostgresCommand(sql: "DROP TABLE r\(id)"))
        for table in ["field", "type_grant", "system_index"] {
            try write(PostgresStatement("DELETE FROM \(table) WHERE type = $1", .int8), .int(id))
        }
        try write(PostgresStatement("DELETE FROM record_type WHERE id = $1", .int8), .int(id))
        catalog.schemas[tenant]?.remove(typeNamed: recordType.name)
        markCatalogChanged()
    }

    private static let trackedOfTypeStatement = PostgresStatement(
        """
        SELECT zone, name FROM directory WHERE type = $1 AND tracked AND NOT deleted ORDER BY zone, id
        """, .int8)
    private static let buryStatement = PostgresStatement(
        "UPDATE directory SET deleted = true, sequence = $1 WHERE zone = $2 AND name = $3", .int8, .int8,
        .text)
    private static let raiseStatement = PostgresStatement(
        "UPDATE zone SET sequence = greatest(sequence, $1) WHERE id = $2", .int8, .int8)

    /// Makes tombstones of a type's records in tracked zones, each with a sequence number of its own.
    private func buryTracked(type: Int64) throws {
        let rows = try ask(Self.trackedOfTypeStatement, .int(type))
        var last: [Int64: Int64] = [:]
        for row in 0..<rows.count {
            let sequence = try nextSequence()
            last[rows.int(row, 0)] = sequence
            try write(Self.buryStatement, .int(sequence), .int(rows.int(row, 0)), .text(rows.text(row, 1)))
        }
        for (zone, sequence) in last.sorted(by: { $0.key < $1.key }) {
            try write(Self.raiseStatement, .int(sequence), .int(zone))
        }
    }

    /// Gives the columns of a field the values that the records' bodies have.
    func fillColumns(of field: FieldSchema, in recordType: RecordType) throws {
        try eachBody(of: recordType) { id, body in
            let value = try RecordBody.fields(of: body).last { $0.name == field.name }?.value
            var text = PostgresSQL("UPDATE r\(recordType.id) SET ")
            for (index, (column, value)) in zip(field.columns, field.columnValues(value)).enumerated() {
                text.append(index == 0 ? "\(column.name) = " : ", \(column.name) = ")
                text.append(value.value, value.type)
            }
            text.append(" WHERE id = ")
            text.append(id)
            try write(text.command)
        }
    }

    /// How many bodies are held in memory at once while a type changes.
    private static let portion = 200

    /// Visits all bodies of a type, some at a time.
    private func eachBody(of recordType: RecordType, _ visit: (Int64, [UInt8]) throws -> Void) throws {
        let statement = PostgresStatement(
            "SELECT id, body FROM r\(recordType.id) WHERE id > $1 ORDER BY id LIMIT \(Self.portion)", .int8)
        var last = Int64.min
        while true {
            let rows = try ask(statement, .int(last))
            guard rows.count > 0 else { return }
            for row in 0..<rows.count { try visit(rows.int(row, 0), Array(rows.bytes(row, 1))) }
            last = rows.int(rows.count - 1, 0)
        }
    }

    /// A body, which lacks its closing brace, without one of its fields; nil where it has none of that name.
    private static func body(_ body: [UInt8], withoutField name: String) throws -> [UInt8]? {
        guard var object = try JSONReader.read(body + [UInt8(ascii: "}")]).object,
            var fields = object["fields"]?.object,
            let index = fields.members.firstIndex(where: { $0.key == name })
        else { return nil }
        fields.members.remove(at: index)
        for position in object.members.indices where object.members[position].key == "fields" {
            object.members[position].value = .object(fields)
        }
        return JSONWriter.text { $0.value(.object(object)) }.dropLast()
    }
}
