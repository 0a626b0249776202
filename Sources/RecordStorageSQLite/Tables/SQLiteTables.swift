import RecordModel
import RecordStorage
import SQLiteAccess

/// Described tables in SQLite: the statements that copy rows come from a table's shape.
extension TableShape {
    /// The columns as values are read from them: of a tenant its text, not its number.
    fileprivate var expressions: [String] {
        columns.map { column in
            guard column.kind == .tenant else { return "\"\(column.name)\"" }
            return """
                (SELECT container || '\(Tenant.columnSeparator)' || environment FROM tenant
                    WHERE tenant.id = \"\(name)\".\"\(column.name)\")
                """
        }
    }

    /// Reads rows in the order of the key; with a key to go on after, its values come before the limit.
    fileprivate func selection(goesOn: Bool) -> String {
        let key = expressions.prefix(keyCount).joined(separator: ", ")
        let marks = Array(repeating: "?", count: keyCount).joined(separator: ", ")
        return """
            SELECT \(expressions.joined(separator: ", ")) FROM "\(name)"
            \(goesOn ? "WHERE (\(key)) > (\(marks))" : "") ORDER BY \(key) LIMIT ?
            """
    }

    fileprivate var insertion: String {
        let names = columns.map(\.name) + constants.map(\.name)
        let values = columns.map { _ in "?" } + constants.map { "\($0.value)" }
        return """
            INSERT INTO "\(name)" (\(names.map { "\"\($0)\"" }.joined(separator: ", ")))
            VALUES (\(values.joined(separator: ", ")))
            """
    }
}

extension SQLiteReader {
    /// Some rows of a described table, in the order of its key.
    func rows(
        of table: TableShape, _ section: StoreSection, after last: StoreRow?, _ portion: CopyPortion
    ) throws -> [StoreRow] {
        var start: [TableValue] = []
        if case .described(let row)? = last { start = Array(row.values.prefix(table.keyCount)) }
        let statement = try connection.statement(table.selection(goesOn: !start.isEmpty))
        defer { statement.reset() }
        for (index, value) in start.enumerated() { statement.bind(value, at: Int32(index + 1)) }
        statement.bind(Int64(portion.rows), at: Int32(start.count + 1))
        var rows: [StoreRow] = []
        var room = portion.bytes
        while room > 0, try statement.step() {
            let values = table.columns.enumerated().map { index, column in
                statement.value(Int32(index), column.kind)
            }
            room -= values.reduce(0) { $0 + $1.byteCount }
            rows.append(.described(TableRow(section: section, values: values)))
        }
        return rows
    }
}

extension SQLiteWriter {
    /// Stores a row of a described table.
    func insert(_ row: TableRow) throws {
        guard let table = Catalogue.shape(of: row.section) else { return }
        assert(row.values.count == table.columns.count, "A row has a value for each column.")
        // Making a tenant has statements of its own.
        let values = try zip(table.columns, row.values).map { column, value in
            guard column.kind == .tenant else { return value }
            guard let tenant = Tenant(columnValue: value) else {
                throw StorageError.engine("A row of the table '\(table.name)' belongs to no container.")
            }
            return .int(try makeTenant(tenant))
        }
        let statement = try connection.statement(table.insertion)
        for (index, value) in values.enumerated() { statement.bind(value, at: Int32(index + 1)) }
        try statement.run()
    }
}

extension Statement {
    fileprivate func value(_ column: Int32, _ kind: TableShape.Kind) -> TableValue {
        guard !isNull(column) else { return .null }
        return switch kind {
        case .int: .int(int(column))
        case .text, .tenant: .text(text(column))
        case .bytes: .bytes(Array(bytes(column)))
        }
    }

    fileprivate func bind(_ value: TableValue, at position: Int32) {
        switch value {
        case .null: bindNull(at: position)
        case .int(let value): bind(value, at: position)
        case .text(let value): bind(value, at: position)
        case .bytes(let value): bind(blob: value, at: position)
        }
    }
}
