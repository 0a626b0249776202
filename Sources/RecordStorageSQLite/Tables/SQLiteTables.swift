import RecordModel
import RecordStorage
import RecordWire
import SQLiteAccess

/// Described tables in SQLite: every statement comes from a table's shape.
///
/// A statement is prepared once for each connection and each combination of columns, by its text.
extension SQLiteReader {
    func rows(of table: TableShape, _ query: TableQuery) throws -> [[TableValue]] {
        let statement = try connection.statement(table.selection(query))
        defer { statement.reset() }
        var position: Int32 = 1
        for condition in query.conditions { statement.bind(condition, of: table, at: &position) }
        for value in query.start { statement.bind(value, at: &position) }
        if let limit = query.limit { statement.bind(.int(Int64(limit)), at: &position) }
        var rows: [[TableValue]] = []
        var room = query.bytes ?? .max
        while room > 0, try statement.step() {
            let row = table.columns.indices.map { statement.value(Int32($0), table.columns[$0].kind) }
            room -= row.reduce(0) { $0 + $1.byteCount }
            rows.append(row)
        }
        return rows
    }

    func total(of column: String?, in table: TableShape, where conditions: [TableCondition]) throws -> Int64 {
        let sum = column.map { "coalesce(sum(\"\($0)\"), 0)" } ?? "count(*)"
        let statement = try connection.statement(
            "SELECT \(sum) FROM \"\(table.name)\"\(table.restriction(conditions))")
        defer { statement.reset() }
        var position: Int32 = 1
        for condition in conditions { statement.bind(condition, of: table, at: &position) }
        return try statement.step() ? statement.int(0) : 0
    }
}

extension SQLiteWriter {
    func store(_ row: [TableValue], in table: TableShape, replacing: Bool) throws {
        assert(row.count == table.columns.count, "A row has a value for each column.")
        // Making a tenant has statements of its own.
        let values = try zip(table.columns, row).map { column, value in
            guard column.kind == .tenant, value != .null else { return value }
            guard let tenant = Tenant(columnValue: value) else {
                throw StorageError.engine("A row of the table '\(table.name)' belongs to no container.")
            }
            return .int(try makeTenant(tenant))
        }
        let statement = try connection.statement(
            table.insertion(into: table.name, table.columns.map { _ in "?" }, replacing: replacing))
        var position: Int32 = 1
        for value in values { statement.bind(value, at: &position) }
        try statement.run()
    }

    func update(
        _ table: TableShape, set values: [(column: String, value: TableValue)],
        where conditions: [TableCondition]
    ) throws {
        let columns = values.map { "\"\($0.column)\" = ?" }.joined(separator: ", ")
        let statement = try connection.statement(
            "UPDATE \"\(table.name)\" SET \(columns)\(table.restriction(conditions))")
        var position: Int32 = 1
        for (_, value) in values { statement.bind(value, at: &position) }
        for condition in conditions { statement.bind(condition, of: table, at: &position) }
        try statement.run()
    }

    func remove(from table: TableShape, where conditions: [TableCondition]) throws {
        let statement = try connection.statement(
            "DELETE FROM \"\(table.name)\"\(table.restriction(conditions))")
        var position: Int32 = 1
        for condition in conditions { statement.bind(condition, of: table, at: &position) }
        try statement.run()
    }

    /// Other processes do not write here, and subscriptions are this process's own.
    func announce(_ announcement: StoreAnnouncement) throws {
        if announcement == .revocation { hasRevoked = true }
    }
}

// MARK: Statements

extension TableShape {
    private func expression(_ column: Column) -> String { expression(column, in: name) }

    fileprivate func selection(_ query: TableQuery) -> String {
        let order = query.order.map { order in
            (sql: expression(columns[place(of: order.column)]), descends: order.descends)
        }
        var start = ""
        if !query.start.isEmpty {
            let marks = order.map { _ in "?" }.joined(separator: ", ")
            start = "(\(order.map(\.sql).joined(separator: ", "))) > (\(marks))"
        }
        let sorted = order.map { $0.descends ? "\($0.sql) DESC" : $0.sql }.joined(separator: ", ")
        return "SELECT \(columns.map(expression).joined(separator: ", ")) FROM \"\(name)\""
            + restriction(query.conditions, and: start) + (sorted.isEmpty ? "" : " ORDER BY \(sorted)")
            + (query.limit == nil ? "" : " LIMIT ?")
    }

    fileprivate func restriction(_ conditions: [TableCondition], and last: String = "") -> String {
        (conditions.map(restriction) + (last.isEmpty ? [] : [last])).restriction
    }

    private func restriction(_ condition: TableCondition) -> String {
        let tenant = "(SELECT id FROM tenant WHERE container = ? AND environment = ?)"
        let name = "\"\(condition.column)\""
        if let common = condition.restriction({
            columns[place(of: condition.column)].kind == .tenant ? tenant : "?"
        }) {
            return common
        }
        return condition.comparison == .among
            ? "\(name) IN (SELECT value FROM json_each(?))"
            : "\(name) IN (SELECT id FROM database WHERE tenant = \(tenant))"
    }
}

// MARK: Layout

extension TableShape {
    /// The statements that make the table with its indexes.
    var creation: [String] { creation(of: name, ending: " WITHOUT ROWID", \.sqliteType) }

    /// The statement that adds a column to a table that is there.
    func addition(of column: String) -> String {
        addition(of: column, to: name, nothing: \.sqliteNothing, \.sqliteType)
    }
}

extension TableShape.Kind {
    fileprivate var sqliteType: String {
        switch self {
        case .int, .flag, .tenant: "INTEGER"
        case .text: "TEXT"
        case .bytes: "BLOB"
        }
    }

    fileprivate var sqliteNothing: String {
        switch self {
        case .int, .flag, .tenant: "0"
        case .text: "''"
        case .bytes: "x''"
        }
    }
}

extension Statement {
    fileprivate func value(_ column: Int32, _ kind: TableShape.Kind) -> TableValue {
        guard !isNull(column) else { return .null }
        return switch kind {
        case .int, .flag: .int(int(column))
        case .text, .tenant: .text(text(column))
        case .bytes: .bytes(Array(bytes(column)))
        }
    }

    fileprivate func bind(
        _ condition: TableCondition, of table: TableShape, at position: inout Int32
    ) {
        guard !condition.isFixed else { return }
        switch condition.comparison {
        case .isNull: break
        case .among:
            let list = JSONWriter.text { writer in
                writer.beginArray()
                for value in condition.values {
                    switch value {
                    case .text(let text): writer.string(text)
                    case .int(let number): writer.int(number)
                    case .null, .bytes: assertionFailure("Columns are compared with numbers or texts.")
                    }
                }
                writer.endArray()
            }
            bind(.text(String(decoding: list, as: UTF8.self)), at: &position)
        case .ofTenant: bind(tenant: condition.values[0], at: &position)
        default:
            if table.columns[table.place(of: condition.column)].kind == .tenant {
                bind(tenant: condition.values[0], at: &position)
            } else {
                bind(condition.values[0], at: &position)
            }
        }
    }

    /// A tenant is two values: its container and its environment.
    private func bind(tenant: TableValue, at position: inout Int32) {
        let tenant = Tenant(columnValue: tenant)
        bind(tenant.map { .text($0.container.rawValue) } ?? .null, at: &position)
        bind(tenant.map { .text($0.environment.rawValue) } ?? .null, at: &position)
    }

    fileprivate func bind(_ value: TableValue, at position: inout Int32) {
        switch value {
        case .null: bindNull(at: position)
        case .int(let value): bind(value, at: position)
        case .text(let value): bind(value, at: position)
        case .bytes(let value): bind(blob: value, at: position)
        }
        position += 1
    }
}
