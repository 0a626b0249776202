package import RecordModel

/// What the cells of a column look like, judged by the first part of the file.
package enum ColumnShape: Sendable, Equatable {
    case empty
    case integer
    /// Whole numbers, at least one of which is too long for a DOUBLE.
    case longInteger
    case number
    case time
    case text

    /// The shape of one cell.
    package init(_ cell: String) {
        guard !cell.isEmpty else {
            self = .empty
            return
        }
        if let value = Int64(cell), String(value) == cell {
            self = Self.isLong(value) ? .longInteger : .integer
        } else if Self.isNumber(cell) {
            self = .number
        } else {
            self = ISOTime.isComplete(cell) ? .time : .text
        }
    }

    /// The shape that takes the cells of both.
    package func joined(with other: ColumnShape) -> ColumnShape {
        switch (self, other) {
        case (.empty, let shape), (let shape, .empty): shape
        case (.integer, .number), (.number, .integer): .number
        case (.integer, .longInteger), (.longInteger, .integer): .longInteger
        default: self == other ? self : .text
        }
    }

    /// The type that a new field gets.
    package var type: FieldType {
        switch self {
        case .integer, .longInteger: FieldType(.int64)
        case .number: FieldType(.double)
        case .time: FieldType(.timestamp)
        case .empty, .text: FieldType(.string)
        }
    }

    /// Whether a DOUBLE would have another last digit.
    static func isLong(_ value: Int64) -> Bool { Int64(exactly: Double(value)) != value }

    /// Digits with one point and perhaps an exponent. A leading zero (`0123`) or plus is an identifier, no number; so are whole
    /// numbers that no type keeps to their last digit (`18446744073709551615`) and codes such as `1E5`, which
    /// programs write as `1e+05` where they mean a number.
    private static func isNumber(_ cell: String) -> Bool {
        let digits = cell.hasPrefix("-") ? cell.dropFirst() : cell[...]
        guard let first = digits.first, first.isASCII, first.isNumber else { return false }
        if first == "0", let second = digits.dropFirst().first, second != "." { return false }
        // Of whole numbers, INT64 has those that are none of ours.
        guard digits.contains(where: { !$0.isNumber }) || Int64(cell) != nil else { return false }
        guard let value = ExactNumber.double(cell), ExactNumber.isKept(cell, as: value) else { return false }
        guard let exponent = digits.firstIndex(where: { $0 == "e" || $0 == "E" }) else { return true }
        let sign = digits[digits.index(after: exponent)...].first
        return digits[..<exponent].contains(".") || sign == "+" || sign == "-"
    }
}
