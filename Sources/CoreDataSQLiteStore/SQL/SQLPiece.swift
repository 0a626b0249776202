internal import SQLiteAccess
internal import StratusCoreData

/// A value for a placeholder in a statement.
typealias SQLBinding = SQLiteValue

/// A piece of SQL with the values of its placeholders: values are always bound, never written.
///
/// Written as a text with `\(piece)` for another piece, `\(bind: value)` for a value and `\(name)` for a name.
struct SQLPiece: Equatable, Sendable {
    var sql: String
    var bindings: [SQLBinding]

    init(_ sql: String, _ bindings: [SQLBinding] = []) {
        self.sql = sql
        self.bindings = bindings
    }

    static let yes = SQLPiece("1")
    static let no = SQLPiece("0")

    var isYes: Bool { sql == "1" }
    var isNo: Bool { sql == "0" }

    mutating func append(_ text: String) { sql += text }

    mutating func append(_ other: SQLPiece) {
        sql += other.sql
        bindings += other.bindings
    }

    /// The pieces with a word between them.
    static func joined(_ parts: [SQLPiece], _ separator: String) -> SQLPiece {
        var text = SQLPiece("")
        for (index, part) in parts.enumerated() {
            if index > 0 { text.append(separator) }
            text.append(part)
        }
        return text
    }

    /// A list of placeholders: `(?, ?)`.
    static func places(_ values: [SQLBinding]) -> SQLPiece {
        SQLPiece("(" + Array(repeating: "?", count: values.count).joined(separator: ", ") + ")", values)
    }
}

extension SQLPiece: ExpressibleByStringInterpolation {
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = SQLPiece("")

        init(literalCapacity: Int, interpolationCount: Int) {
            text.sql.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { text.sql += literal }
        mutating func appendInterpolation(_ name: String) { text.sql += name }
        mutating func appendInterpolation(_ piece: SQLPiece) { text.append(piece) }
        mutating func appendInterpolation(bind value: SQLBinding) {
            text.sql += "?"
            text.bindings.append(value)
        }
    }

    init(stringInterpolation: StringInterpolation) { self = stringInterpolation.text }

    init(stringLiteral value: String) { self.init(value) }
}

// MARK: Conditions: what they give is true, false or null, and null counts as false.

extension SQLPiece {
    /// The opposite, as the language has it: also where SQL does not know.
    var negated: SQLPiece {
        if isYes { return .no }
        if isNo { return .yes }
        return "(\(self)) IS NOT TRUE"
    }

    static func and(_ parts: [SQLPiece]) -> SQLPiece {
        if parts.contains(where: \.isNo) { return .no }
        let needed = parts.filter { !$0.isYes }
        return needed.isEmpty ? .yes : balanced(needed[...], " AND ")
    }

    static func or(_ parts: [SQLPiece]) -> SQLPiece {
        if parts.contains(where: \.isYes) { return .yes }
        let needed = parts.filter { !$0.isNo }
        return needed.isEmpty ? .no : balanced(needed[...], " OR ")
    }

    /// SQLite refuses expressions deeper than 1,000, and a chain is as deep as it is long; so long ones become trees.
    private static func balanced(_ parts: ArraySlice<SQLPiece>, _ word: String) -> SQLPiece {
        if parts.count == 1, let only = parts.first { return only }
        guard parts.count > 100 else { return joined(parts.map { "(\($0))" }, word) }
        let middle = parts.startIndex + parts.count / 2
        return "(\(balanced(parts[..<middle], word)))\(word)(\(balanced(parts[middle...], word)))"
    }
}
