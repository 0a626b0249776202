import GRDBSQLite
import RecordStorage

/// A prepared statement: bind, step, read, and it is reset for the next time.
final class Statement {
    private let handle: OpaquePointer
    private unowned let connection: Connection

    /// SQLite copies what is bound, since Swift's memory may move.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ sql: String, connection: Connection) throws {
        var handle: OpaquePointer?
        try connection.check(
            sqlite3_prepare_v3(connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil))
        guard let handle else { throw StorageError.engine("An empty statement was prepared.") }
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    // MARK: Binding; positions count from 1.

    func bind(_ value: Int64, at position: Int32) { sqlite3_bind_int64(handle, position, value) }

    func bind(_ value: Double, at position: Int32) { sqlite3_bind_double(handle, position, value) }

    func bind(_ value: String, at position: Int32) {
        var value = value
        value.withUTF8 { utf8 in
            guard let start = utf8.baseAddress else {
                sqlite3_bind_text(handle, position, "", 0, Self.transient)
                return
            }
            start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
                _ = sqlite3_bind_text(handle, position, $0, Int32(utf8.count), Self.transient)
            }
        }
    }

    func bind(_ value: String?, at position: Int32) {
        if let value { bind(value, at: position) } else { sqlite3_bind_null(handle, position) }
    }

    func bind(blob: [UInt8], at position: Int32) {
        blob.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else {
                sqlite3_bind_zeroblob(handle, position, 0)
                return
            }
            _ = sqlite3_bind_blob64(handle, position, start, UInt64(bytes.count), Self.transient)
        }
    }

    func bind(_ value: StorageValue, at position: Int32) {
        switch value {
        case .null: sqlite3_bind_null(handle, position)
        case .int(let value): bind(value, at: position)
        case .double(let value): bind(value, at: position)
        case .text(let value): bind(value, at: position)
        }
    }

    func bind(_ values: [StorageValue], from position: Int32 = 1) {
        for (offset, value) in values.enumerated() { bind(value, at: position + Int32(offset)) }
    }

    // MARK: Running

    /// Runs a statement that gives no rows.
    func run() throws {
        defer { reset() }
        try connection.check(sqlite3_step(handle))
    }

    /// Whether there is a next row. The caller calls ``reset()`` when it stops early.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            reset()
            return false
        case let code:
            reset()
            try connection.check(code)
            return false
        }
    }

    /// Makes the statement ready for other values.
    func reset() {
        sqlite3_reset(handle)
    }

    /// The steps of SQLite's machine since this was last asked.
    func takeStepCount() -> Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)) }

    // MARK: Reading; columns count from 0.

    func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func optionalInt(_ column: Int32) -> Int64? { isNull(column) ? nil : int(column) }

    func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    func optionalText(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The bytes of a column, valid until the next step.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    func value(_ column: Int32) -> StorageValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .int(int(column))
        case SQLITE_FLOAT: .double(sqlite3_column_double(handle, column))
        case SQLITE_TEXT: .text(text(column))
        default: .null
        }
    }
}
