internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension Condition {
    /// The columns that it looks at.
    var columns: [Column] {
        switch self {
        case .constant: []
        case .and(let parts), .or(let parts): parts.flatMap(\.columns)
        case .not(let part): part.columns
        case .compare(let column, _, _), .among(let column, _), .prefix(let column, _), .text(let column, _),
            .anyElement(let column, _), .allValues(let column, _), .elementCount(let column, _, _):
            column.stored
        case .compareColumns(let left, _, let right): left.stored + right.stored
        case .tokens(let columns, _, _): columns.flatMap(\.stored)
        case .near(let field, _, _): [.latitude(field), .longitude(field)]
        }
    }

    /// Whether SQL can say it exactly as it is meant: not what compares text by folding, since the server folds by
    /// rules of its own.
    var isExpressible: Bool {
        switch self {
        case .constant, .prefix, .elementCount, .near: true
        case .and(let parts), .or(let parts): parts.allSatisfy(\.isExpressible)
        case .not(let part): part.isExpressible
        case .compare(let column, _, let value): value == .null || !column.kind.isList
        case .among(let column, let values): values.allSatisfy { $0 == .null } || !column.kind.isList
        case .compareColumns(let left, _, let right): left.kind.isLike(right.kind)
        case .anyElement(_, .text): false
        case .anyElement(let column, _), .allValues(let column, _): column.kind.isList
        case .text, .tokens: false
        }
    }
}

extension Column {
    /// The column, or those in which a location is kept.
    fileprivate var stored: [Column] {
        switch self {
        case .field(let field) where field.type == FieldType(.location):
            [.latitude(field), .longitude(field)]
        default: [self]
        }
    }
}

extension ColumnKind {
    fileprivate var isList: Bool { if case .list = self { true } else { false } }

    /// Whether both compare by the same rule.
    fileprivate func isLike(_ other: ColumnKind) -> Bool {
        switch (self, other) {
        case (.text, .text), (.int, .int), (.double, .double): true
        default: false
        }
    }
}

extension PostgresSQL {
    /// Appends a condition that is expressible; what it gives is true, false or null, and null counts as false.
    mutating func append(_ condition: Condition) {
        switch condition {
        case .constant(let value): append(value ? "TRUE" : "FALSE")
        case .and(let parts): join(parts, " AND ", empty: "TRUE")
        case .or(let parts): join(parts, " OR ", empty: "FALSE")
        case .not(let part):
            // FairQueue exactly the rows around, also those where SQL does not know.
            append("(")
            append(part)
            append(") IS NOT TRUE")
        case .compare(let column, let comparison, let value):
            compare(column.name, column.kind, comparison, value)
        case .compareColumns(let left, let comparison, let right):
            append("\(left.name) \(comparison.nullSafeSQL) \(right.name)")
        case .among(let column, let values): among(column.name, column.kind, values)
        case .prefix(let column, let text): prefix(column.name, text)
        case .anyElement(let column, let test): anyElement(column, test)
        case .allValues(let column, let values):
            join(values.map { .anyElement(column, .compare(.equal, $0)) }, " AND ", empty: "TRUE")
        case .elementCount(let column, let comparison, let count):
            append("coalesce(cardinality(\(column.name)), 0) \(comparison.sql) ")
            append(count)
        case .near(let field, let place, let metres): near(field, place, metres)
        case .text, .tokens: preconditionFailure("\(condition) is not for SQL")
        }
    }

    private mutating func join(_ parts: [Condition], _ word: String, empty: String) {
        if parts.isEmpty { return append(empty) }
        for (index, part) in parts.enumerated() {
            if index > 0 { append(word) }
            append("(")
            append(part)
            append(")")
        }
    }

    private mutating func compare(
        _ column: String, _ kind: ColumnKind, _ comparison: Comparison, _ value: StorageValue
    ) {
        switch (kind, value) {
        case (_, .null):
            append(
                comparison == .equal
                    ? "\(column) IS NULL" : comparison == .notEqual ? "\(column) IS NOT NULL" : "FALSE")
        case (.int, .double(let number)): compare(column, ints: comparison, number)
        case (.double, .int(let number)): compare(column, doubles: comparison, number)
        case (.int, .text), (.double, .text): always(column, comparison, isLess: true)
        case (.text, .int), (.text, .double): always(column, comparison, isLess: false)
        case (.int, .int), (.double, .double), (.text, .text), (.list, _):
            plain(column, comparison, value)
        }
    }

    private mutating func plain(_ column: String, _ comparison: Comparison, _ value: StorageValue) {
        // A row without the value differs from every value.
        append("\(column) \(comparison == .notEqual ? "IS DISTINCT FROM" : comparison.sql) ")
        append(value)
    }

    /// A comparison with a value of another kind, before or after which all values of the column come.
    private mutating func always(_ column: String, _ comparison: Comparison, isLess: Bool) {
        switch comparison {
        case .equal: append("FALSE")
        case .notEqual: append("TRUE")
        case .less, .lessOrEqual: append(isLess ? "\(column) IS NOT NULL" : "FALSE")
        case .greater, .greaterOrEqual: append(isLess ? "FALSE" : "\(column) IS NOT NULL")
        }
    }

    /// Whole numbers with one of floating point, exactly: PostgreSQL would round the whole ones.
    private mutating func compare(_ column: String, ints comparison: Comparison, _ value: Double) {
        if value >= 0x1p63 { return always(column, comparison, isLess: true) }
        if value < -0x1p63 { return always(column, comparison, isLess: false) }
        let floor = Int64(value.rounded(.down))
        if Double(floor) == value, Int64(exactly: value) == floor {
            return plain(column, comparison, .int(floor))
        }
        switch comparison {
        case .equal: append("FALSE")
        case .notEqual: append("TRUE")
        case .less, .lessOrEqual: plain(column, .lessOrEqual, .int(floor))
        case .greater, .greaterOrEqual: plain(column, .greater, .int(floor))
        }
    }

    /// Numbers of floating point with a whole one, exactly.
    private mutating func compare(_ column: String, doubles comparison: Comparison, _ value: Int64) {
        let nearest = Double(value)
        if Int64(exactly: nearest) == value { return plain(column, comparison, .double(nearest)) }
        // No number of floating point equals it; the nearest one is on one side.
        let isAbove = StorageValue.double(nearest).order(.int(value)) > 0
        switch comparison {
        case .equal: append("FALSE")
        case .notEqual: append("TRUE")
        case .less, .lessOrEqual: plain(column, isAbove ? .less : .lessOrEqual, .double(nearest))
        case .greater, .greaterOrEqual: plain(column, isAbove ? .greaterOrEqual : .greater, .double(nearest))
        }
    }

    private mutating func among(_ column: String, _ kind: ColumnKind, _ values: [StorageValue]) {
        if values.isEmpty { return append("FALSE") }
        for (index, value) in values.enumerated() {
            append(index == 0 ? "(" : " OR ")
            compare(column, kind, .equal, value)
        }
        append(")")
    }

    private mutating func prefix(_ column: String, _ text: String) {
        if text.isEmpty { return append("\(column) IS NOT NULL") }
        append("starts_with(\(column), ")
        append(text: text)
        append(") AND \(column) >= ")
        append(text: text)
    }

    private mutating func anyElement(_ column: Column, _ test: ElementTest) {
        guard case .list(let scalar) = column.kind else { return append("FALSE") }
        append("EXISTS (SELECT 1 FROM unnest(\(column.name)) AS e WHERE ")
        switch test {
        case .compare(let comparison, let value):
            compare("e", ColumnKind.element(scalar), comparison, value)
        case .among(let values): among("e", ColumnKind.element(scalar), values)
        case .text: preconditionFailure("not for SQL")
        }
        append(")")
    }

    /// A box around the circle first, which is cheap, then the circle itself.
    private mutating func near(_ field: FieldSchema, _ place: Location, _ metres: Double) {
        let latitude = Column.latitude(field).name
        let degrees = metres / (Location.earthRadiusMetres * Double.pi / 180)
        if degrees < 90 {
            append("\(latitude) BETWEEN ")
            append(place.latitude - degrees - 1e-6)
            append(" AND ")
            append(place.latitude + degrees + 1e-6)
            append(" AND ")
        }
        distance(field, place)
        append(" <= ")
        append(metres)
    }

    /// The distance of a location field from a place, by the function that the layout brings along.
    mutating func distance(_ field: FieldSchema, _ place: Location) {
        append("stratus_distance(\(Column.latitude(field).name), \(Column.longitude(field).name), ")
        append(place.latitude)
        append(", ")
        append(place.longitude)
        append(")")
    }
}

extension Comparison {
    /// The operator between two values of which neither is null.
    var sql: String {
        switch self {
        case .equal: "="
        case .notEqual: "<>"
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }

    /// The operator that takes two missing values for equal.
    fileprivate var nullSafeSQL: String {
        switch self {
        case .equal: "IS NOT DISTINCT FROM"
        case .notEqual: "IS DISTINCT FROM"
        default: sql
        }
    }
}
