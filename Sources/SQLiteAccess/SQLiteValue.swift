internal import CStratusSQLite
public import Foundation

/// A value as SQLite keeps it: one of its five storage classes.
public enum SQLiteValue: Equatable, Sendable {
    case null
    case int(Int64)
    case double(Double)
    case text(String)
    case blob(Data)
}

extension PreparedStatement {
    /// Binds a value of any kind.
    public func bind(_ value: SQLiteValue, at position: Int32) {
        switch value {
        case .null: bindNull(at: position)
        case .int(let value): bind(value, at: position)
        case .double(let value): bind(value, at: position)
        case .text(let value): bind(value, at: position)
        case .blob(let value): value.withUnsafeBytes { bind(blob: $0, at: position) }
        }
    }

    /// Binds values to the positions from one on.
    public func bind(_ values: [SQLiteValue], from position: Int32 = 1) {
        for (offset, value) in values.enumerated() { bind(value, at: position + Int32(offset)) }
    }

    /// What is in a column, whatever it is: a file of others may hold anything anywhere.
    public func value(_ column: Int32) -> SQLiteValue {
        switch type(column) {
        case SQLITE_INTEGER: .int(int(column))
        case SQLITE_FLOAT: .double(double(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(Data(bytes(column)))
        default: .null
        }
    }
}
