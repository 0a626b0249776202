internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

/// Described tables in PostgreSQL: the statements that copy rows come from a table's shape.
extension TableShape {
    /// The columns as values are read from them: of a tenant its text, not its number.
    private var expressions: [String] {
        columns.map { column in
            guard column.kind == .tenant else { return "\"\(column.name)\"" }
            return """
                (SELECT container || '\(Tenant.columnSeparator)' || environment FROM tenant
                    WHERE tenant.id = \"\(name)\".\"\(column.name)\")
                """
        }
    }

    /// Reads rows in the order of the key, as many as begin before a number of bytes: rows of some tables are large, and an
    /// answer is in memory as a whole.
    fileprivate func selection(goesOn: Bool) -> PostgresStatement {
        let key = expressions.prefix(keyCount).joined(separator: ", ")
        let start = goesOn ? columns.prefix(keyCount).map(\.kind.postgresType) : []
        let marks = start.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let sizes = columns.filter { $0.kind == .bytes }.map { "coalesce(octet_length(\"\($0.name)\"), 0)" }
        let bytes = sizes.isEmpty ? "0" : sizes.joined(separator: " + ")
        let selected = zip(expressions, columns).map { "\($0) AS \"\($1.name)\"" }
        let names = columns.map { "\"\($0.name)\"" }
        let order = names.prefix(keyCount).joined(separator: ", ")
        return PostgresStatement(
            sql: """
                WITH page AS (
                    SELECT \(selected.joined(separator: ", ")), (\(bytes))::int8 AS own FROM "\(name)"
                    \(goesOn ? "WHERE (\(key)) > (\(marks))" : "") ORDER BY \(key) LIMIT $\(start.count + 1)),
                sums AS (SELECT *, sum(own) OVER (ORDER BY \(order)) - own AS before_it FROM page)
                SELECT \(names.joined(separator: ", ")) FROM sums WHERE before_it < $\(start.count + 2)
                ORDER BY \(order)
                """, types: start + [.int8, .int8])
    }

    fileprivate var insertion: PostgresStatement {
        let names = columns.map(\.name) + constants.map(\.name)
        let values = columns.indices.map { "$\($0 + 1)" } + constants.map { "\($0.value)" }
        return PostgresStatement(
            sql: """
                INSERT INTO "\(name)" (\(names.map { "\"\($0)\"" }.joined(separator: ", ")))
                VALUES (\(values.joined(separator: ", ")))
                """, types: columns.map { $0.kind == .tenant ? .int8 : $0.kind.postgresType })
    }
}

extension PostgresReader {
    /// Some rows of a described table, in the order of its key.
    func rows(
        of table: TableShape, _ section: StoreSection, after last: StoreRow?, _ portion: CopyPortion
    ) throws -> [StoreRow] {
        var start: [TableValue] = []
        if case .described(let row)? = last { start = Array(row.values.prefix(table.keyCount)) }
        let bounds: [PostgresValue] = [.int(Int64(portion.rows)), .int(Int64(portion.bytes))]
        let rows = try ask(
            PostgresCommand(
                table.selection(goesOn: !start.isEmpty), values: start.map(\.postgresValue) + bounds))
        return (0..<rows.count).map { row in
            let values = table.columns.enumerated().map { rows.value(row, $0, $1.kind) }
            return .described(TableRow(section: section, values: values))
        }
    }
}

extension PostgresWriter {
    /// Stores a row of a described table.
    func insert(_ row: TableRow) throws {
        guard let table = Catalogue.shape(of: row.section) else { return }
        assert(row.values.count == table.columns.count, "A row has a value for each column.")
        let values: [PostgresValue] = try zip(table.columns, row.values).map { column, value in
            guard column.kind == .tenant else { return value.postgresValue }
            guard let tenant = Tenant(columnValue: value) else {
                throw StorageError.engine("A row of the table '\(table.name)' belongs to no container.")
            }
            return .int(try makeTenant(tenant))
        }
        try write(PostgresCommand(table.insertion, values: values))
    }
}

extension TableShape.Kind {
    fileprivate var postgresType: PostgresType {
        switch self {
        case .int: .int8
        case .text, .tenant: .text
        case .bytes: .bytea
        }
    }
}

extension TableValue {
    fileprivate var postgresValue: PostgresValue {
        switch self {
        case .null: .null
        case .int(let value): .int(value)
        case .text(let value): .text(PostgresText.encoded(value))
        case .bytes(let value): .bytes(value)
        }
    }
}

extension PostgresRows {
    fileprivate func value(_ row: Int, _ column: Int, _ kind: TableShape.Kind) -> TableValue {
        guard !isNull(row, column) else { return .null }
        return switch kind {
        case .int: .int(int(row, column))
        case .text, .tenant: .text(PostgresText.decoded(text(row, column)))
        case .bytes: .bytes(Array(bytes(row, column)))
        }
    }
}
