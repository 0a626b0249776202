import SQLiteAccess
internal import StratusCoreData

/// What goes into a column of a new table, for the rows of one older entity.
enum ColumnValue: Hashable {
    case null
    /// What is in an older column.
    case column(String)
    /// The same, or a literal where there is nothing.
    case filled(String, String)
    case literal(String)
    /// A binary value that had no mark before its bytes, and gets one since it may be in a file from now on; where there is
    /// nothing, a literal.
    case marked(String, filling: String?)

    /// The older column that the value comes from.
    var column: String? {
        switch self {
        case .null, .literal: nil
        case .column(let name), .filled(let name, _), .marked(let name, _): name
        }
    }

    /// As SQL.
    ///
    /// - Parameter carrier: the name that the older column now has.
    func sql(carrier: String? = nil) -> String {
        switch self {
        case .null: "NULL"
        case .literal(let text): text
        case .column(let name): carrier ?? name
        case .filled(let name, let text): "IFNULL(\(carrier ?? name), \(text))"
        case .marked(let name, let text):
            text.map { "IFNULL(\(Self.marked(carrier ?? name)), \($0))" } ?? Self.marked(carrier ?? name)
        }
    }

    /// The bytes in a column with a mark before them. What others wrote there and is no bytes has none, and needs none.
    static func marked(_ column: String) -> String {
        "CASE typeof(\(column)) WHEN 'blob' THEN CAST(x'01' || \(column) AS BLOB) ELSE \(column) END"
    }

    /// Whether the value is what is in the column that it comes from.
    var isUnchanged: Bool { if case .column = self { true } else { false } }
}

/// Literals of SQL for defaults, which are part of the table's statement and not of its data.
enum SQLLiteral {
    /// - Parameter isMarked: whether bytes get a mark; nil where the attribute says it.
    static func of(_ attribute: NSAttributeDescription, isMarked: Bool? = nil) throws -> String {
        let mark: [UInt8] = isMarked ?? attribute.allowsExternalBinaryDataStorage ? [1] : []
        switch attribute.defaultPropertyValue {
        case .null, .reference: return "NULL"
        case .int(let value): return String(value)
        case .double(let value): return number(value)
        case .decimal(let value):
            return value.wholeInt64.map { String($0) } ?? number(value.nearestDouble)
        case .string(let value): return text(value)
        case .url(let value): return text(value.absoluteString)
        case .date(let value): return number(value.timeIntervalSinceReferenceDate)
        case .uuid(let value): return withUnsafeBytes(of: value.uuid) { hex($0) }
        case .data(let value): return hex(mark + value)
        case .object(let box):
            return hex(mark + (try Transformables.data(box.base, of: attribute)))
        }
    }

    private static func number(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NULL" : value > 0 ? "9e999" : "-9e999" }
        return "\(value)"
    }

    /// SQLite ends a text at a zero byte in its statement, so such a text is written as bytes.
    private static func text(_ value: String) -> String {
        value.utf8.contains(0) ? "CAST(\(hex(value.utf8)) AS TEXT)" : SQLQuotes.literal(value)
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in bytes {
            result.append(digits[Int(byte >> 4)])
            result.append(digits[Int(byte & 15)])
        }
        return "x'" + String(decoding: result, as: UTF8.self) + "'"
    }
}
