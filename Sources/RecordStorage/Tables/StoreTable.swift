package import RecordModel

/// What an engine has to know of a described table to read and to write its rows.
public struct TableShape: Sendable {
    /// What a column holds.
    public enum Kind: Sendable {
        case int
        /// 0 or 1, which an engine with a type for that has as such.
        case flag
        case text
        case bytes
        /// The number of a tenant in the engine's table of tenants; as a value it is the tenant's text, since numbers differ.
        case tenant
    }

    /// A column.
    public struct Column: Sendable {
        /// The name, the same on every engine.
        public var name: String
        /// What it holds.
        public var kind: Kind
        /// Whether it may hold nothing.
        public var isOptional: Bool
    }

    /// The name of the table.
    public var name: String
    /// The name that it has in PostgreSQL.
    public var postgresName: String
    /// The columns that rows are copied with.
    public var columns: [Column]
    /// How many of the columns, from the first on, are the key by which rows are in order.
    public var keyCount: Int
    /// Columns that every copied row has alike: what an engine notes for itself.
    public var constants: [(name: String, value: Int64)]
    /// Columns of which no two rows have the same values, besides the key.
    public var unique: [[String]]
    /// Columns by which rows are looked for, besides the key.
    public var indexes: [[String]]
}

extension TableShape {
    /// All described tables, for an engine that makes them in advance.
    public static var all: [TableShape] { Catalogue.shapes }

    /// The place of a column in each row. That there is no such column is an error of the program.
    public func place(of column: String) -> Int {
        guard let place = columns.firstIndex(where: { $0.name == column }) else {
            preconditionFailure("The table '\(name)' has no column '\(column)'.")
        }
        return place
    }

    /// Whether a row matches all of some conditions, as far as it can be told from the row (``TableCondition/Comparison/ofTenant``).
    public func accepts(_ row: [TableValue], _ conditions: [TableCondition]) -> Bool {
        conditions.allSatisfy { $0.accepts(row[place(of: $0.column)]) }
    }
}

/// A row of a described table.
public struct TableRow: Hashable, Sendable {
    /// Which table it is of.
    public var section: StoreSection
    /// The values, in the order of the table's columns.
    public var values: [TableValue]

    /// Creates a row.
    public init(section: StoreSection, values: [TableValue]) {
        self.section = section
        self.values = values
    }
}

/// A table that is described once: by its columns every engine copies its rows, and a new column is one line here.
///
/// ```swift
/// StoreTable(
///     "change_watch", key: 2,
///     [.init("database", \.database), .init("type", \.type), .init("since", \.since)],
///     blank: ChangeWatch(database: 0, type: 0, since: 0, usedAt: 0))
/// ```
package struct StoreTable<Row: Sendable>: Sendable {
    /// A column of rows of this type.
    package struct Column: Sendable {
        fileprivate let name: String
        fileprivate let kind: TableShape.Kind
        fileprivate let isOptional: Bool
        fileprivate let get: @Sendable (Row) -> TableValue
        fileprivate let set: @Sendable (inout Row, TableValue) -> Bool

        /// A column that holds a property.
        package init<Value: ColumnCoding>(
            _ name: String, _ path: any WritableKeyPath<Row, Value> & Sendable,
            as kind: TableShape.Kind? = nil
        ) {
            self.name = name
            self.kind = kind ?? Value.columnKind
            isOptional = Value(columnValue: .null) != nil
            get = { $0[keyPath: path].columnValue }
            set = { row, value in
                guard let value = Value(columnValue: value) else { return false }
                row[keyPath: path] = value
                return true
            }
        }
    }

    /// The table as engines see it.
    package let shape: TableShape
    private let columns: [Column]
    private let tenantPlace: Int?
    private let blank: @Sendable (Tenant?) -> Row?

    /// Describes a table whose rows belong to tenants.
    ///
    /// - Parameters:
    ///   - name: the table's name in all engines.
    ///   - key: how many columns, from the first on, are its key.
    ///   - postgres: its name in PostgreSQL, where that is another one.
    ///   - unique: columns of which no two rows have the same values, besides the key.
    ///   - indexes: columns by which rows are looked for, besides the key.
    ///   - blank: a row whose properties the columns then set.
    package init(
        _ name: String, key: Int, _ columns: [Column], postgres: String? = nil, unique: [[String]] = [],
        indexes: [[String]] = [], blank: @escaping @Sendable (Tenant) -> Row
    ) {
        self.init(name, postgres, key, columns, [], unique, indexes) { $0.map(blank) }
    }

    /// Describes a table whose rows belong to no tenant.
    package init(
        _ name: String, key: Int, _ columns: [Column], constants: [(name: String, value: Int64)] = [],
        unique: [[String]] = [], indexes: [[String]] = [], blank: Row
    ) {
        self.init(name, nil, key, columns, constants, unique, indexes) { _ in blank }
    }

    private init(
        _ name: String, _ postgres: String?, _ key: Int, _ columns: [Column],
        _ constants: [(name: String, value: Int64)], _ unique: [[String]], _ indexes: [[String]],
        _ blank: @escaping @Sendable (Tenant?) -> Row?
    ) {
        assert(key > 0 && key <= columns.count, "The key of \(name) is some of its columns.")
        shape = TableShape(
            name: name, postgresName: postgres ?? name,
            columns: columns.map {
                TableShape.Column(name: $0.name, kind: $0.kind, isOptional: $0.isOptional)
            },
            keyCount: key, constants: constants, unique: unique, indexes: indexes)
        self.columns = columns
        tenantPlace = columns.firstIndex { $0.kind == .tenant }
        self.blank = blank
    }

    /// A row as its columns have it.
    package func values(of row: Row) -> [TableValue] { columns.map { $0.get(row) } }

    /// The row that columns have.
    ///
    /// - Throws: ``StorageError`` where a value is none of its column's.
    package func row(of values: [TableValue]) throws -> Row {
        guard let row = readableRow(of: values) else { throw Self.unreadable(shape.name) }
        return row
    }

    /// The row that columns have; nil where a value is none of its column's.
    package func readableRow(of values: [TableValue]) -> Row? {
        guard values.count == columns.count, var row = blank(tenant(in: values)) else { return nil }
        for (column, value) in zip(columns, values) where !column.set(&row, value) { return nil }
        return row
    }

    private func tenant(in values: [TableValue]) -> Tenant? {
        tenantPlace.flatMap { Tenant(columnValue: values[$0]) }
    }

    private static func unreadable(_ name: String) -> StorageError {
        StorageError.engine("A row of the table '\(name)' cannot be read.")
    }
}
