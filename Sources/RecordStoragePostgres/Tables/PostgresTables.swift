internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

/// Described tables in PostgreSQL: every statement comes from a table's shape.
///
/// A statement is prepared once for each connection and each combination of columns, by its text.
extension PostgresReader {
    func rows(of table: TableShape, _ query: TableQuery) throws -> [[TableValue]] {
        var text = TableStatement(table, catalog)
        let statement = text.selection(query)
        guard !text.namesMissingTenant else { return [] }
        let rows = try ask(PostgresCommand(statement, values: text.values))
        return (0..<rows.count).map { row in
            table.columns.indices.map { rows.value(row, $0, table.columns[$0].kind) }
        }
    }

    func total(of column: String?, in table: TableShape, where conditions: [TableCondition]) throws -> Int64 {
        var text = TableStatement(table, catalog)
        let statement = text.total(of: column, conditions)
        guard !text.namesMissingTenant else { return 0 }
        return try ask(PostgresCommand(statement, values: text.values)).int(0, 0)
    }
}

extension PostgresWriter {
    func store(_ row: [TableValue], in table: TableShape, replacing: Bool) throws {
        assert(row.count == table.columns.count, "A row has a value for each column.")
        for (column, value) in zip(table.columns, row) where column.kind == .tenant && value != .null {
            guard let tenant = Tenant(columnValue: value) else {
                throw StorageError.engine("A row of the table '\(table.name)' belongs to no container.")
            }
            _ = try makeTenant(tenant)
        }
        var text = TableStatement(table, catalog)
        let statement = text.insertion(row, replacing: replacing)
        try write(PostgresCommand(statement, values: text.values))
    }

    func update(
        _ table: TableShape, set values: [(column: String, value: TableValue)],
        where conditions: [TableCondition]
    ) throws {
        var text = TableStatement(table, catalog)
        let statement = text.update(values, conditions)
        guard !text.namesMissingTenant else { return }
        try write(PostgresCommand(statement, values: text.values))
    }

    func remove(from table: TableShape, where conditions: [TableCondition]) throws {
        var text = TableStatement(table, catalog)
        let statement = text.removal(conditions)
        guard !text.namesMissingTenant else { return }
        try write(PostgresCommand(statement, values: text.values))
    }
}

/// A statement on a described table while it is put together, with the values of its parameters.
private struct TableStatement {
    private let table: TableShape
    private let catalog: PostgresCatalog
    private var types: [PostgresType] = []
    private(set) var values: [PostgresValue] = []
    /// Whether a condition names a tenant that has stored nothing, so that no row matches.
    private(set) var namesMissingTenant = false

    init(_ table: TableShape, _ catalog: PostgresCatalog) {
        self.table = table
        self.catalog = catalog
    }

    private var name: String { "\"\(table.postgresName)\"" }

    /// A parameter in the place of a value.
    private mutating func parameter(_ value: PostgresValue, _ type: PostgresType) -> String {
        values.append(value)
        types.append(type)
        return "$\(values.count)"
    }

    private mutating func mark(_ value: TableValue, _ kind: TableShape.Kind) -> String {
        switch (kind, value) {
        case (.tenant, _): mark(tenant: value)
        case (_, .null): parameter(.null, kind.postgresType)
        case (.flag, .int(let number)): parameter(.bool(number != 0), .bool)
        case (_, .int(let number)): parameter(.int(number), .int8)
        case (_, .text(let text)): parameter(.text(PostgresText.encoded(text)), .text)
        case (_, .bytes(let bytes)): parameter(.bytes(bytes), .bytea)
        }
    }

    private mutating func mark(tenant: TableValue) -> String {
        let number = Tenant(columnValue: tenant).flatMap { catalog.tenants[$0] }
        if number == nil { namesMissingTenant = true }
        return parameter(number.map { .int($0) } ?? .null, .int8)
    }

    /// The statement of a text in which all parameters are: a text that makes more of them comes too late.
    private func finished(_ sql: String) -> PostgresStatement { PostgresStatement(sql: sql, types: types) }

    private func expression(_ column: TableShape.Column) -> String {
        table.expression(column, in: table.postgresName)
    }

    // MARK: Statements

    mutating func selection(_ query: TableQuery) -> PostgresStatement {
        let order = query.order.map { order in
            (column: table.columns[table.place(of: order.column)], descends: order.descends)
        }
        var last: String?
        if !query.start.isEmpty {
            // A tenant's text is compared here, not its number.
            let marks = zip(order, query.start).map {
                mark($1, $0.column.kind == .tenant ? .text : $0.column.kind)
            }
            let columns = order.map { expression($0.column) }.joined(separator: ", ")
            last = "(\(columns)) > (\(marks.joined(separator: ", ")))"
        }
        let restriction = restriction(query.conditions, and: last)
        let sorted = order.map { $0.descends ? "\(expression($0.column)) DESC" : expression($0.column) }
        let sorting = sorted.isEmpty ? "" : " ORDER BY \(sorted.joined(separator: ", "))"
        let limit = query.limit.map { " LIMIT \(parameter(.int(Int64($0)), .int8))" } ?? ""
        let columns = table.columns.map { "\(expression($0)) AS \"\($0.name)\"" }.joined(separator: ", ")
        guard let bytes = query.bytes else {
            return finished("SELECT \(columns) FROM \(name)\(restriction)\(sorting)\(limit)")
        }
        // As many as begin before a number of bytes: rows of some tables are large, and an answer is in memory as a whole.
        let sizes = table.columns.filter { $0.kind == .bytes }
            .map { "coalesce(octet_length(\"\($0.name)\"), 0)" }
        let size = sizes.isEmpty ? "0" : sizes.joined(separator: " + ")
        let names = table.columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let key = order.map { "\"\($0.column.name)\"" }.joined(separator: ", ")
        let room = parameter(.int(Int64(bytes)), .int8)
        return finished(
            """
            WITH page AS (
                SELECT \(columns), (\(size))::int8 AS own FROM \(name)\(restriction)\(sorting)\(limit)),
            sums AS (SELECT *, sum(own) OVER (ORDER BY \(key)) - own AS before_it FROM page)
            SELECT \(names) FROM sums WHERE before_it < \(room) ORDER BY \(key)
            """)
    }

    mutating func total(of column: String?, _ conditions: [TableCondition]) -> PostgresStatement {
        let sum = column.map { "coalesce(sum(\"\($0)\"), 0)::int8" } ?? "count(*)"
        let restriction = restriction(conditions)
        return finished("SELECT \(sum) FROM \(name)\(restriction)")
    }

    mutating func insertion(_ row: [TableValue], replacing: Bool) -> PostgresStatement {
        let marks = zip(table.columns, row).map { mark($1, $0.kind) }
        return finished(table.insertion(into: table.postgresName, marks, replacing: replacing))
    }

    mutating func update(
        _ values: [(column: String, value: TableValue)], _ conditions: [TableCondition]
    ) -> PostgresStatement {
        let columns = values.map { column, value in
            "\"\(column)\" = \(mark(value, table.columns[table.place(of: column)].kind))"
        }
        let restriction = restriction(conditions)
        return finished("UPDATE \(name) SET \(columns.joined(separator: ", "))\(restriction)")
    }

    mutating func removal(_ conditions: [TableCondition]) -> PostgresStatement {
        let restriction = restriction(conditions)
        return finished("DELETE FROM \(name)\(restriction)")
    }

    // MARK: Conditions

    private mutating func restriction(_ conditions: [TableCondition], and last: String? = nil) -> String {
        (conditions.map { restriction($0) } + (last.map { [$0] } ?? [])).restriction
    }

    private mutating func restriction(_ condition: TableCondition) -> String {
        let column = table.columns[table.place(of: condition.column)]
        if let common = condition.restriction({ mark(condition.values[0], column.kind) }) { return common }
        let name = "\"\(column.name)\""
        switch condition.comparison {
        case .ofTenant:
            return "\(name) IN (SELECT id FROM database WHERE tenant = \(mark(tenant: condition.values[0])))"
        default:
            let numbers: [Int64?] = condition.values.compactMap {
                if case .int(let number) = $0 { number } else { nil }
            }
            let texts: [String?] = condition.values.compactMap {
                if case .text(let text) = $0 { PostgresText.encoded(text) } else { nil }
            }
            let list =
                column.kind == .int
                ? parameter(.ints(numbers), .int8Array) : parameter(.texts(texts), .textArray)
            return "\(name) = ANY(\(list))"
        }
    }
}

extension TableShape.Kind {
    fileprivate var postgresType: PostgresType {
        switch self {
        case .int: .int8
        case .flag: .bool
        case .text, .tenant: .text
        case .bytes: .bytea
        }
    }
}

extension PostgresRows {
    fileprivate func value(_ row: Int, _ column: Int, _ kind: TableShape.Kind) -> TableValue {
        guard !isNull(row, column) else { return .null }
        return switch kind {
        case .int: .int(int(row, column))
        case .flag: .int(bool(row, column) ? 1 : 0)
        case .text, .tenant: .text(PostgresText.decoded(text(row, column)))
        case .bytes: .bytes(Array(bytes(row, column)))
        }
    }
}
