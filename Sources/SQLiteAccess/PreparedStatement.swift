internal import CStratusSQLite

/// A prepared statement: bind, step, read, and it is reset for the next time.
///
/// Used by one thread at a time, as its connection is. What SQLite refuses is thrown as the error that the
/// connection's owner makes of a ``SQLiteFailure``.
public final class PreparedStatement {
    /// SQLite's own handle, for loops that cannot afford another call.
    public let handle: OpaquePointer
    /// Whether somebody is between binding it and having read its last row.
    @usableFromInline var isReserved = false
    /// What SQLite answered to a binding that it refused, a text that is too long for example; reported by the next
    /// step.
    private var bindCode: Int32 = SQLITE_OK
    private let database: OpaquePointer
    private let failure: (SQLiteFailure) -> any Error

    /// SQLite copies what is bound, since Swift's memory may move.
    static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    /// Prepares a text for many uses.
    ///
    /// - Parameter failure: makes the error that is thrown from SQLite's.
    /// - Throws: what `failure` makes of SQLite's refusal, also of a text without a statement.
    public init(
        _ sql: String, database: OpaquePointer, failure: @escaping (SQLiteFailure) -> any Error
    ) throws {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK else { throw failure(SQLiteFailure(code: code, database: database)) }
        guard let handle else {
            throw failure(SQLiteFailure(code: SQLITE_MISUSE, message: "The text has no statement."))
        }
        self.handle = handle
        self.database = database
        self.failure = failure
    }

    // The code that it answers is that of the last step, which was told already.
    deinit { _ = sqlite3_finalize(handle) }

    // MARK: Binding; positions count from 1. What is refused is thrown by the next step.

    /// Binds NULL.
    public func bindNull(at position: Int32) { note(sqlite3_bind_null(handle, position)) }

    /// Binds an integer.
    public func bind(_ value: Int64, at position: Int32) { note(sqlite3_bind_int64(handle, position, value)) }

    /// Binds a number.
    public func bind(_ value: Double, at position: Int32) {
        note(sqlite3_bind_double(handle, position, value))
    }

    /// Binds a text as UTF-8.
    public func bind(_ value: String, at position: Int32) {
        var value = value
        value.withUTF8 { utf8 in
            guard let start = utf8.baseAddress else {
                note(sqlite3_bind_text(handle, position, "", 0, Self.transient))
                return
            }
            start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
                note(
                    sqlite3_bind_text64(
                        handle, position, $0, UInt64(utf8.count), Self.transient, UInt8(SQLITE_UTF8)))
            }
        }
    }

    /// Binds a text, or NULL.
    public func bind(_ value: String?, at position: Int32) {
        if let value { bind(value, at: position) } else { bindNull(at: position) }
    }

    /// Binds bytes.
    public func bind(blob bytes: UnsafeRawBufferPointer, at position: Int32) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            note(sqlite3_bind_zeroblob(handle, position, 0))
            return
        }
        note(sqlite3_bind_blob64(handle, position, start, UInt64(bytes.count), Self.transient))
    }

    /// Binds bytes.
    public func bind(blob: [UInt8], at position: Int32) {
        blob.withUnsafeBytes { bind(blob: $0, at: position) }
    }

    /// Keeps the first refusal: a statement must not run with what was bound before, or with nothing.
    private func note(_ code: Int32) {
        if code != SQLITE_OK, bindCode == SQLITE_OK { bindCode = code }
    }

    // MARK: Running

    /// Runs a statement that gives no rows.
    ///
    /// - Throws: what the connection's owner makes of a ``SQLiteFailure``: a binding or the step failed.
    public func run() throws {
        let code = bindCode == SQLITE_OK ? sqlite3_step(handle) : bindCode
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw takeFailure(code) }
        reset()
    }

    /// Runs a statement that gives no rows, and says why SQLite refused it; nil where it was done.
    public func attempt() -> SQLiteFailure? {
        let code = bindCode == SQLITE_OK ? sqlite3_step(handle) : bindCode
        // A binding that was refused is in ``bindCode`` alone: SQLite's last sentence may be of another call.
        let failure =
            code == SQLITE_DONE || code == SQLITE_ROW
            ? nil
            : bindCode == SQLITE_OK
                ? SQLiteFailure(code: code, database: database) : SQLiteFailure(code: bindCode)
        reset()
        return failure
    }

    /// Whether there is a next row. The caller calls ``reset()`` when it stops early.
    ///
    /// - Throws: what the connection's owner makes of a ``SQLiteFailure``: a binding or the step failed.
    public func step() throws -> Bool {
        switch bindCode == SQLITE_OK ? sqlite3_step(handle) : bindCode {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            reset()
            return false
        case let code: throw takeFailure(code)
        }
    }

    private func takeFailure(_ code: Int32) -> any Error {
        // Resetting may change SQLite's sentence, so it is taken first; that of a refused binding is gone.
        let result =
            bindCode == SQLITE_OK
            ? SQLiteFailure(code: code, database: database) : SQLiteFailure(code: bindCode)
        reset()
        return failure(result)
    }

    /// Makes the statement ready for other values.
    public func reset() {
        // The code that it answers is that of the last step, which was reported already.
        _ = sqlite3_reset(handle)
        bindCode = SQLITE_OK
    }

    /// Forgets the bound values, of which SQLite holds copies.
    public func clearBindings() {
        // Always SQLITE_OK.
        _ = sqlite3_clear_bindings(handle)
    }

    /// Whether somebody has begun to use it and has not ended: whoever binds it now would change their rows.
    public var isInUse: Bool { isReserved || sqlite3_stmt_busy(handle) != 0 }

    /// The steps of SQLite's machine since this was last asked.
    public func takeStepCount() -> Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)) }

    // MARK: Reading; columns count from 0.

    /// The number of columns of a row.
    public var columnCount: Int32 { sqlite3_column_count(handle) }

    /// The name of a column.
    public func columnName(_ column: Int32) -> String {
        sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
    }

    /// The type of a column's value, such as `SQLITE_TEXT`.
    public func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }

    /// An integer; 0 for NULL.
    public func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// A number; 0 for NULL.
    public func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// Whether the column holds NULL.
    public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// An integer, or nil.
    public func optionalInt(_ column: Int32) -> Int64? { isNull(column) ? nil : int(column) }

    /// A text; empty for NULL.
    public func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    /// A text, or nil.
    public func optionalText(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The bytes of a column, valid until the next step.
    public func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
}
