import CStratusSQLite
import RecordStorage
import SQLiteAccess

/// A prepared statement of a ``Connection``, whose errors are ``StorageError``.
typealias Statement = PreparedStatement

extension PreparedStatement {
    func bind(_ value: StorageValue, at position: Int32) {
        switch value {
        case .null: bindNull(at: position)
        case .int(let value): bind(value, at: position)
        case .double(let value): bind(value, at: position)
        case .text(let value): bind(value, at: position)
        }
    }

    func bind(_ values: [StorageValue], from position: Int32 = 1) {
        for (offset, value) in values.enumerated() { bind(value, at: position + Int32(offset)) }
    }

    func value(_ column: Int32) -> StorageValue {
        switch type(column) {
        case SQLITE_INTEGER: .int(int(column))
        case SQLITE_FLOAT: .double(double(column))
        case SQLITE_TEXT: .text(text(column))
        default: .null
        }
    }
}
