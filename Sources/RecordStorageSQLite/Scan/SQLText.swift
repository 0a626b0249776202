import RecordModel
import RecordStorage

/// SQL that grows, with its values beside it: values are always bound, never written.
struct SQLText {
    var sql = ""
    var values: [StorageValue] = []

    init(_ sql: String = "") { self.sql = sql }

    mutating func append(_ text: String) { sql += text }

    mutating func append(_ value: StorageValue) {
        sql += "?"
        values.append(value)
    }

    mutating func append(_ other: SQLText) {
        sql += other.sql
        values += other.values
    }

    mutating func list(_ items: [StorageValue]) {
        append("(")
        for (index, item) in items.enumerated() {
            if index > 0 { append(", ") }
            append(item)
        }
        append(")")
    }
}

extension SQLText {
    /// Appends a condition; what it gives is true, false or null, and null counts as false.
    mutating func append(_ condition: Condition) {
        switch condition {
        case .constant(let value): append(constant: value)
        case .and(let parts): join(parts, " AND ", empty: true)
        case .or(let parts): join(parts, " OR ", empty: false)
        case .not(let part):
            // FairQueue exactly the rows around, also those where SQL does not know.
            append("(")
            append(part)
            append(") IS NOT TRUE")
        case .compare(let column, let comparison, let value): compare(column.sql, comparison, value)
        case .compareColumns(let left, let comparison, let right):
            // Two missing values are equal.
            append("\(left.sql) \(comparison == .equal ? "IS" : comparison.sql) \(right.sql)")
        case .among(let column, let values): among(column.sql, values)
        case .prefix(let column, let text): prefix(column.sql, text)
        case .text(let column, let match): self.match(column.sql, match)
        case .anyElement(let column, let test): anyElement(column, test)
        case .allValues(let column, let values):
            let tests = values.map { Condition.anyElement(column, .compare(.equal, $0)) }
            join(tests, " AND ", empty: true)
        case .elementCount(let column, let comparison, let count):
            append("coalesce(json_array_length(\(column.sql)), 0) \(comparison.sql) ")
            append(.int(count))
        case .tokens(let columns, let words, let all):
            append("stratus_tokens(\(all ? 1 : 0), ")
            append(.text(words.joined(separator: " ")))
            // Functions take so many arguments at most, so many columns share one.
            let perArgument = columns.count / Self.tokenArguments + 1
            for (position, column) in columns.enumerated() {
                append(position % perArgument == 0 ? ", " : " || ' ' || ")
                append("coalesce(\(column.words), '')")
            }
            append(")")
        case .near(let field, let place, let metres): near(field, place, metres)
        }
    }

    /// SQLite's functions take 100 arguments in the smallest of builds.
    private static let tokenArguments = 90

    /// Appends what is true or false for every row, as a value: of a condition that SQLite sees to be false it keeps
    /// nothing, not even the terms that lead to the index which the statement names, and finds no way to run it.
    private mutating func append(constant: Bool) { append(.int(constant ? 1 : 0)) }

    private mutating func join(_ parts: [Condition], _ word: String, empty: Bool) {
        if parts.isEmpty { return append(constant: empty) }
        for (index, part) in parts.enumerated() {
            if index > 0 { append(word) }
            append("(")
            append(part)
            append(")")
        }
    }

    private mutating func compare(_ column: String, _ comparison: Comparison, _ value: StorageValue) {
        if value == .null {
            switch comparison {
            case .equal: append("\(column) IS NULL")
            case .notEqual: append("\(column) IS NOT NULL")
            case .less, .lessOrEqual, .greater, .greaterOrEqual: append(constant: false)
            }
            return
        }
        // A row without the value differs from every value.
        append(comparison == .notEqual ? "\(column) IS NOT " : "\(column) \(comparison.sql) ")
        append(value)
    }

    private mutating func among(_ column: String, _ values: [StorageValue]) {
        let wanted = values.filter { $0 != .null }
        if wanted.isEmpty {
            append(constant: false)
        } else {
            append("\(column) IN ")
            list(wanted)
        }
        if values.contains(.null) { append(" OR \(column) IS NULL") }
    }

    private mutating func prefix(_ column: String, _ text: String) {
        if text.isEmpty { return append("\(column) IS NOT NULL") }
        append("\(column) >= ")
        append(.text(text))
        // The least text above all that begin so; there is none above a run of the last character.
        guard let end = Self.successor(of: text) else { return }
        append(" AND \(column) < ")
        append(.text(end))
    }

    /// The least text that is greater than every text with the given beginning, in the order of UTF-8 bytes,
    /// which is that of scalars; nil where there is none.
    private static func successor(of text: String) -> String? {
        var scalars = Array(text.unicodeScalars)
        while let last = scalars.popLast() {
            // The surrogates are no scalars: what follows U+D7FF is U+E000.
            guard let next = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1) else { continue }
            scalars.append(next)
            var end = String.UnicodeScalarView()
            end.append(contentsOf: scalars)
            return String(end)
        }
        return nil
    }

    private mutating func match(_ column: String, _ match: TextMatch) {
        if match.kind == .notEqual { append("\(column) IS NULL OR ") }
        append("stratus_text(\(column), '\(match.kind.rawValue)', ")
        append(.text(match.pattern))
        append(", \((match.ignoresCase ? 1 : 0) + (match.ignoresDiacritics ? 2 : 0)))")
    }

    private mutating func anyElement(_ column: Column, _ test: ElementTest) {
        append("EXISTS (SELECT 1 FROM json_each(\(column.sql)) AS e WHERE ")
        switch test {
        case .compare(let comparison, let value): compare("e.value", comparison, value)
        case .among(let values): among("e.value", values)
        case .text(let match): self.match("e.value", match)
        }
        append(")")
    }

    /// A box around the circle first, which is cheap, then the circle itself.
    private mutating func near(_ field: FieldSchema, _ place: Location, _ metres: Double) {
        let latitude = Column.latitude(field).sql
        let longitude = Column.longitude(field).sql
        let degrees = metres / (Location.earthRadiusMetres * Double.pi / 180)
        if degrees < 90 {
            append("\(latitude) BETWEEN ")
            append(.double(place.latitude - degrees - 1e-6))
            append(" AND ")
            append(.double(place.latitude + degrees + 1e-6))
            append(" AND ")
        }
        append("stratus_distance(\(latitude), \(longitude), ")
        append(.double(place.latitude))
        append(", ")
        append(.double(place.longitude))
        append(") <= ")
        append(.double(metres))
    }
}

extension Column {
    /// The text of the column, or of the elements of a list, whose JSON would add words of its own.
    fileprivate var words: String {
        guard case .field(let field) = self, field.type.isList else { return sql }
        return "(SELECT group_concat(value, ' ') FROM json_each(\(sql)))"
    }
}

extension Comparison {
    /// The operator between two values of which neither is null.
    var sql: String {
        switch self {
        case .equal: "="
        case .notEqual: "IS NOT"
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}
