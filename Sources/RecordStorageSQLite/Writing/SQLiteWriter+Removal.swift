import RecordModel
import RecordStorage
import RecordWire
import SQLiteAccess

extension SQLiteWriter {
    func removeField(named name: String, from recordType: RecordType, tenant: Tenant) throws -> RecordType {
        guard let field = recordType[name] else { return recordType }
        try rewriteBodies(of: recordType) { body in
            guard var fields = body["fields"]?.object,
                let index = fields.members.firstIndex(where: { $0.key == name })
            else { return nil }
            fields.members.remove(at: index)
            var changed = body
            for position in changed.members.indices where changed.members[position].key == "fields" {
                changed.members[position].value = .object(fields)
            }
            return changed
        }
        try run(
            """
            DELETE FROM reference WHERE field = ? AND EXISTS (
                SELECT 1 FROM directory WHERE directory.zone = reference.zone
                AND directory.name = reference.owner AND directory.type = ? AND directory.deleted = 0)
            """, .text(name), .int(recordType.id))
        try dropColumns(of: field, in: recordType)
        try run(
            "DELETE FROM field WHERE type = ? AND number = ?", .int(recordType.id),
            .int(Int64(field.column)))
        try run(
            "UPDATE record_type SET last_field = max(last_field, ?) WHERE id = ?",
            .int(Int64(field.column)), .int(recordType.id))
        var changed = recordType
        changed.remove(fieldNamed: name)
        take(changed, tenant: tenant)
        return changed
    }

    func removeType(_ recordType: RecordType, tenant: Tenant) throws {
        let id = recordType.id
        try run(
            """
            DELETE FROM reference WHERE EXISTS (
                SELECT 1 FROM directory WHERE directory.zone = reference.zone
                AND directory.name = reference.owner AND directory.type = ? AND directory.deleted = 0)
            """, .int(id))
        try buryTracked(type: id)
        try run("DELETE FROM directory WHERE type = ? AND deleted = 0", .int(id))
        for index in catalog.indexes[id] ?? [] {
            try connection.execute("DROP INDEX IF EXISTS \(index.name)")
        }
        // A statement on the tables that is not at its end would hold them.
        connection.forgetStatements()
        try connection.execute("DROP TABLE r\(id); DROP TABLE b\(id)")
        for table in ["automatic_index", "field", "type_grant", "system_index"] {
            try run("DELETE FROM \(table) WHERE type = ?", .int(id))
        }
        try run("DELETE FROM record_type WHERE id = ?", .int(id))
        catalog.indexes[id] = nil
        catalog.schemas[tenant]?.types[recordType.name] = nil
        markCatalogChanged()
    }

    /// Makes tombstones of a type's records in tracked zones, each with a sequence number of its own.
    private func buryTracked(type: Int64) throws {
        let zones = try connection.texts(
            "SELECT DISTINCT zone FROM directory WHERE type = \(type) AND tracked = 1 AND deleted = 0")
        for case let zone? in zones.map({ Int64($0) }) {
            var last: Int64 = 0
            while true {
                let names = try names(type: type, zone: zone)
                guard !names.isEmpty else { break }
                for name in names {
                    last = try nextSequence()
                    try run(
                        "UPDATE directory SET deleted = 1, sequence = ? WHERE zone = ? AND name = ?",
                        .int(last), .int(zone), .text(name))
                }
            }
            try run("UPDATE zone SET sequence = max(sequence, ?) WHERE id = ?", .int(last), .int(zone))
        }
    }

    /// How many records are held in memory at once while a type changes.
    private static let portion = 500

    /// Some of the records of a type that live in a zone.
    private func names(type: Int64, zone: Int64) throws -> [String] {
        let statement = try connection.statement(
            "SELECT name FROM directory WHERE zone = ? AND type = ? AND deleted = 0 LIMIT ?")
        defer { statement.reset() }
        statement.bind(zone, at: 1)
        statement.bind(type, at: 2)
        statement.bind(Int64(Self.portion), at: 3)
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        return names
    }

    /// Takes a field's columns out of its table, with the indexes that hold them.
    private func dropColumns(of field: FieldSchema, in recordType: RecordType) throws {
        let there = try connection.texts("SELECT name FROM pragma_table_info('r\(recordType.id)')")
        let columns = there.filter { $0 == "c\(field.column)" || $0 == "c\(field.column)_lon" }
        guard !columns.isEmpty else { return }
        for index in catalog.indexes[recordType.id] ?? [] where index.shape.holds(columns) {
            try connection.execute("DROP INDEX IF EXISTS \(index.name)")
            try run("DELETE FROM automatic_index WHERE name = ?", .text(index.name))
            catalog.indexes[recordType.id]?.removeAll { $0 == index }
        }
        connection.forgetStatements()
        for column in columns {
            try connection.execute("ALTER TABLE r\(recordType.id) DROP COLUMN \(column)")
        }
    }

    /// Gives the columns of a field the values that the records' bodies have.
    func fillColumns(of field: FieldSchema, in recordType: RecordType) throws {
        let columns = ColumnValues.names(of: field)
        let assignments = columns.map { "\($0) = ?" }.joined(separator: ", ")
        let sql = "UPDATE r\(recordType.id) SET \(assignments) WHERE id = ?"
        try eachBody(of: recordType) { id, body in
            let value = try RecordBody.fields(of: body).last { $0.name == field.name }?.value
            let statement = try connection.statement(sql)
            statement.bind(ColumnValues.padded(value, field) + [.int(id)])
            try statement.run()
        }
    }

    /// Replaces the bodies for which a closure gives another one.
    private func rewriteBodies(
        of recordType: RecordType, _ change: (JSONObject) throws -> JSONObject?
    ) throws {
        let sql = "UPDATE b\(recordType.id) SET body = ? WHERE id = ?"
        try eachBody(of: recordType) { id, body in
            guard let object = try JSONReader.read(body + [UInt8(ascii: "}")]).object,
                let changed = try change(object)
            else { return }
            let text = JSONWriter.text { $0.value(.object(changed)) }
            let statement = try connection.statement(sql)
            // Bodies lack their closing brace.
            statement.bind(blob: Array(text.dropLast()), at: 1)
            statement.bind(id, at: 2)
            try statement.run()
        }
    }

    /// Visits all bodies of a type, some at a time so that the visitor may write.
    private func eachBody(of recordType: RecordType, _ visit: (Int64, [UInt8]) throws -> Void) throws {
        var last = Int64.min
        while true {
            let statement = try connection.statement(
                "SELECT id, body FROM b\(recordType.id) WHERE id > ? ORDER BY id LIMIT ?")
            statement.bind(last, at: 1)
            statement.bind(Int64(Self.portion), at: 2)
            var rows: [(id: Int64, body: [UInt8])] = []
            while try statement.step() { rows.append((statement.int(0), Array(statement.bytes(1)))) }
            statement.reset()
            guard let end = rows.last?.id else { return }
            for row in rows { try visit(row.id, row.body) }
            last = end
        }
    }
}

extension IndexShape {
    /// Whether the index holds one of the columns.
    fileprivate func holds(_ names: [String]) -> Bool {
        columns.contains { column in names.contains { column == $0 || column == $0 + " DESC" } }
    }
}
