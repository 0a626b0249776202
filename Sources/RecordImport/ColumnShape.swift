package import RecordModel

/// What the cells of a column look like, judged by the first part of the file.
package enum ColumnShape: Sendable, Equatable {
    case empty
    case integer
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
            self = .integer
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
        default: self == other ? self : .text
        }
    }

    /// The type that a new field gets.
    package var type: FieldType {
        switch self {
        case .integer: FieldType(.int64)
        case .number: FieldType(.double)
        case .time: FieldType(.timestamp)
        case .empty, .text: FieldType(.string)
        }
    }

    /// Digits with one point and perhaps an exponent. A leading zero (`0123`) or plus is an identifier, no number.
    private static func isNumber(_ cell: String) -> Bool {
        let digits = cell.hasPrefix("-") ? cell.dropFirst() : cell[...]
        guard let first = digits.first, first.isASCII, first.isNumber else { return false }
        if first == "0", let second = digits.dropFirst().first, second != "." { return false }
        let isPlain = digits.allSatisfy { $0.isASCII && ($0.isNumber || ".eE+-".contains($0)) }
        return isPlain && Double(cell)?.isFinite == true
    }
}
