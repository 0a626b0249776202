import RecordModel
import RecordStorage
import RecordWire
import SQLiteAccess

/// Taking the values of a field out of all records of a type, or into a column: in the order of the rows' numbers.
extension SQLiteWriter {
    /// A record's row, as far as these jobs need it.
    private struct Row {
        var id: Int64
        var zone: Int64
        var name: String
        var sequence: Int64
        var body: [UInt8]
    }

    /// - Returns: whether no record has a value of the field any more.
    func removeValues(_ job: inout BackgroundJob, within budget: inout WorkBudget) throws -> Bool {
        let removed = [RemovedField(name: job.name, sequence: job.sequence, job: job.id)]
        let columns = try columns(ofField: job.number, type: job.type)
        while !budget.isSpent {
            let (rows, bytes) = try someRows(ofType: job.type, after: job.place, budget.step)
            guard let last = rows.last?.id else {
                try dropColumns(columns, ofType: job.type)
                return true
            }
            for row in rows where row.sequence <= job.sequence {
                try forget(removed.names(at: row.sequence), ofRecord: row.name, in: row.zone)
                guard let body = try RecordBody.removing([job.name], from: row.body) else { continue }
                try replaceBody(
                    ofRow: row.id, type: job.type, in: database(ofZone: row.zone), with: body)
            }
            for column in columns {
                try run(
                    "UPDATE r\(job.type) SET \(column) = NULL WHERE id > ? AND id <= ? AND \(column) IS NOT NULL",
                    .int(job.place), .int(last))
            }
            job.place = last
            job.done += Int64(rows.count)
            budget.spend(rows.count, bytes: bytes)
        }
        return false
    }

    /// - Returns: whether the column has the values of all records.
    func fillColumns(_ job: inout BackgroundJob, within budget: inout WorkBudget) throws -> Bool {
        guard let field = catalog.field(job.number, ofType: job.type), ColumnValues.hasColumn(field) else {
            // Its last index went meanwhile.
            return true
        }
        let columns = ColumnValues.names(of: field)
        let sql =
            "UPDATE r\(job.type) SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")) WHERE id = ?"
        let removed = catalog.removedFields[job.type] ?? []
        while !budget.isSpent {
            let (rows, bytes) = try someRows(ofType: job.type, after: job.place, budget.step)
            guard let last = rows.last?.id else { return true }
            for row in rows {
                // An older field of the name may have left its values in bodies.
                let isStale = removed.names(at: row.sequence).contains(field.name)
                let value =
                    isStale
                    ? nil : try RecordBody.fields(of: row.body).last { $0.name == field.name }?.value
                let statement = try connection.statement(sql)
                statement.bind(ColumnValues.padded(value, field) + [.int(row.id)])
                try statement.run()
            }
            job.place = last
            job.done += Int64(rows.count)
            budget.spend(rows.count, bytes: bytes)
        }
        return false
    }

    /// Takes the values of removed fields from a record before it changes: its new version is told from the old ones
    /// by its sequence number alone.
    func settle(_ row: RecordRow) throws {
        guard let removed = catalog.removedFields[row.type] else { return }
        try forget(removed.names(at: row.sequence), ofRecord: row.name, in: row.zone)
    }

    /// Forgets what the values of some fields of a record refer to.
    private func forget(_ fields: Set<String>, ofRecord name: String, in zone: Int64) throws {
        for field in fields {
            try run(
                "DELETE FROM reference WHERE zone = ? AND owner = ? AND field = ?", .int(zone), .text(name),
                .text(field))
            try run(
                AssetSQL.release("zone = ? AND owner = ? AND field = ?"), .int(zone), .text(name),
                .text(field))
            guard connection.changeCount > 0 else { continue }
            let bytes = try assetBytes(
                where: "zone = ? AND owner = ? AND field = ?", .int(zone), .text(name), .text(field))
            try count(assetBytes: -bytes, ofRecord: name, in: zone)
            try run(
                "DELETE FROM asset_use WHERE zone = ? AND owner = ? AND field = ?", .int(zone), .text(name),
                .text(field))
        }
    }

    private func someRows(ofType type: Int64, after place: Int64, _ count: Int) throws -> (
        rows: [Row], bytes: Int
    ) {
        let statement = try connection.statement(
            """
            SELECT r.id, r.zone, r.name, r.sequence, b.body FROM r\(type) AS r CROSS JOIN b\(type) AS b ON b.id = r.id
            WHERE r.id > ? ORDER BY r.id LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(place, at: 1)
        statement.bind(Int64(count), at: 2)
        var rows: [Row] = []
        var bytes = 0
        while bytes < WorkBudget.bytesPerStep, try statement.step() {
            let body = Array(statement.bytes(4))
            bytes += body.count
            rows.append(
                Row(
                    id: statement.int(0), zone: statement.int(1), name: statement.text(2),
                    sequence: statement.int(3), body: body))
        }
        return (rows, bytes)
    }

    /// The columns that a field has or had in its type's table.
    private func columns(ofField number: Int64, type: Int64) throws -> [String] {
        try connection.texts("SELECT name FROM pragma_table_info('r\(type)')")
            .filter { $0 == "c\(number)" || $0 == "c\(number)_lon" }
    }

    /// The most records of a type whose table is written again to be rid of a column; in larger ones the empty
    /// column stays.
    private static let rewrittenRows = 1_000

    private func dropColumns(_ columns: [String], ofType type: Int64) throws {
        let rows = "SELECT count(*) FROM (SELECT 1 FROM r\(type) LIMIT \(Self.rewrittenRows + 1))"
        guard !columns.isEmpty, try connection.int(rows) <= Self.rewrittenRows else { return }
        // SQLite refuses to drop what an index holds, and indexes that hold it are being removed themselves.
        guard !(catalog.indexes[type] ?? []).contains(where: { $0.shape.holds(columns) }) else { return }
        connection.forgetStatements()
        for column in columns { try connection.execute("ALTER TABLE r\(type) DROP COLUMN \(column)") }
    }
}

extension IndexShape {
    /// Whether the index holds one of the columns.
    func holds(_ names: [String]) -> Bool {
        columns.contains { column in names.contains { column == $0 || column == $0 + " DESC" } }
    }
}
