package import RecordModel

/// A condition on one column of a described table.
///
/// ```swift
/// TableCondition("tenant", .equal, tenant)      // rows of a tenant
/// TableCondition.isNull("session")              // tokens that belong to no session
/// TableCondition("ends_at", .less, now)         // what ended before now; never a row without an end
/// ```
public struct TableCondition: Hashable, Sendable {
    /// How a column is compared. A column that holds nothing matches ``isNull`` alone.
    public enum Comparison: Hashable, Sendable {
        case equal, notEqual, less, isNull
        /// The value is a number of a database of the tenant in ``TableCondition/values``.
        case ofTenant
        /// The value is one of ``TableCondition/values``, which are all numbers or all texts.
        case among
    }

    /// The column's name.
    public let column: String
    /// How it is compared.
    public let comparison: Comparison
    /// With what: one value, none for ``Comparison/isNull``, or any number for ``Comparison/among``.
    public let values: [TableValue]
    /// Whether the value is part of the statement, so that a partial index with the same condition serves it.
    public let isFixed: Bool

    /// Compares a column with a value.
    package init(
        _ column: String, _ comparison: Comparison = .equal, _ value: some ColumnCoding, isFixed: Bool = false
    ) {
        self.init(column, comparison, [value.columnValue], isFixed: isFixed)
    }

    private init(_ column: String, _ comparison: Comparison, _ values: [TableValue], isFixed: Bool = false) {
        self.column = column
        self.comparison = comparison
        self.values = values
        self.isFixed = isFixed
    }

    /// A column that holds nothing.
    package static func isNull(_ column: String) -> TableCondition { TableCondition(column, .isNull, []) }

    /// A column that holds one of some values.
    package static func among(_ column: String, _ values: [some ColumnCoding]) -> TableCondition {
        TableCondition(column, .among, values.map(\.columnValue))
    }

    /// A column that holds the number of a database of a tenant.
    package static func inDatabases(_ column: String, of tenant: Tenant) -> TableCondition {
        TableCondition(column, .ofTenant, [tenant.columnValue])
    }
}

extension TableCondition {
    /// Whether a value of the column matches; for ``Comparison/ofTenant``, which only an engine can tell, it does.
    public func accepts(_ value: TableValue) -> Bool {
        if comparison == .isNull { return value == .null }
        guard value != .null, let operand = values.first else { return false }
        return switch comparison {
        case .equal: value == operand
        case .notEqual: value != operand
        case .less: value.precedes(operand)
        case .among: values.contains(value)
        case .ofTenant, .isNull: true
        }
    }
}

/// Some rows of a described table, in an order.
public struct TableQuery: Sendable {
    /// A column by which rows are in order; those that hold nothing come first in some engines and last in others.
    public struct Order: Hashable, Sendable {
        public let column: String
        public let descends: Bool
    }

    /// What all of the rows match.
    public var conditions: [TableCondition]
    /// The order; rows that are equal in all of these columns come in any order.
    public var order: [Order]
    /// The values of the columns of ``order``, which all ascend, of the row to go on after; empty for the beginning.
    public var start: [TableValue]
    /// The most rows; nil for all.
    public var limit: Int?
    /// The bytes after which no further row is taken, so that an answer fits into memory; nil for any number.
    public var bytes: Int?

    /// Asks for rows.
    ///
    /// - Parameters:
    ///   - conditions: what all of the rows match.
    ///   - order: columns by which they are in order, with a `-` in front where they descend.
    ///   - start: the values of these columns of the row to go on after.
    ///   - limit: the most rows.
    package init(
        _ conditions: [TableCondition] = [], order: [String] = [], after start: [any ColumnCoding] = [],
        limit: Int? = nil
    ) {
        self.conditions = conditions
        self.order = order.map { name in
            name.hasPrefix("-")
                ? Order(column: String(name.dropFirst()), descends: true)
                : Order(column: name, descends: false)
        }
        self.start = start.map(\.columnValue)
        self.limit = limit
        assert(
            start.isEmpty || start.count == order.count && self.order.allSatisfy { !$0.descends },
            "A page goes on after a value of each column of its order.")
    }
}

/// What others have to be told about a write once it is committed.
public enum StoreAnnouncement: Hashable, Sendable {
    /// Something was taken away from callers: ``RecordStore/listenForRevocations(_:)``.
    case revocation
    /// Subscriptions of a user changed: ``RecordStore/listenForSubscribers(_:)``.
    case subscriptions(ofUser: String)
}
