internal import CStratusSQLite

/// What SQLite answered instead of doing its work.
public struct SQLiteFailure: Error, CustomStringConvertible {
    /// SQLite's extended result code, such as 2067 for `SQLITE_CONSTRAINT_UNIQUE`.
    ///
    /// The codes are documented at <https://sqlite.org/rescode.html>.
    public let code: Int32
    /// SQLite's own sentence; it may hold names of tables and columns, and parts of a statement's text.
    public let message: String

    /// Keeps a code and its sentence.
    public init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// Keeps a code with the sentence that SQLite has for every error of its kind.
    public init(code: Int32) { self.init(code: code, message: Self.sentence(code)) }

    /// What a connection last answered, which is read at once: the next call replaces it.
    init(code: Int32, database: OpaquePointer?) {
        self.init(
            code: code, message: database.map { String(cString: sqlite3_errmsg($0)) } ?? Self.sentence(code))
    }

    /// Something was asked of a connection after it was closed.
    public static let closed = SQLiteFailure(code: misuse, message: "The connection is closed.")

    /// The code without its extension, such as `SQLITE_CONSTRAINT`.
    public var primaryCode: Int32 { code & 0xFF }

    /// Whether this is what a closed connection answers.
    public var isClosed: Bool { code == Self.misuse && message == Self.closed.message }

    /// Whether a row with the same key or the same unique values already exists.
    public var isDuplicate: Bool {
        // SQLITE_CONSTRAINT_UNIQUE, …_PRIMARYKEY, …_ROWID: Swift does not see macros that are sums.
        primaryCode == SQLITE_CONSTRAINT && [8, 6, 10].contains(code >> 8)
    }

    /// The name of the code without its extension, which never changes.
    public var name: String { Self.names[primaryCode] ?? "SQLITE_\(primaryCode)" }

    /// What this kind of error means, without anything of the file or the statement: safe to show to anybody.
    public var sentence: String { Self.sentence(code) }

    public var description: String { "\(name) (\(code)): \(message)" }

    private static let misuse: Int32 = SQLITE_MISUSE

    private static func sentence(_ code: Int32) -> String { String(cString: sqlite3_errstr(code)) }

    private static let names: [Int32: String] = [
        SQLITE_ERROR: "SQLITE_ERROR", SQLITE_INTERNAL: "SQLITE_INTERNAL", SQLITE_PERM: "SQLITE_PERM",
        SQLITE_ABORT: "SQLITE_ABORT", SQLITE_BUSY: "SQLITE_BUSY", SQLITE_LOCKED: "SQLITE_LOCKED",
        SQLITE_NOMEM: "SQLITE_NOMEM", SQLITE_READONLY: "SQLITE_READONLY",
        SQLITE_INTERRUPT: "SQLITE_INTERRUPT", SQLITE_IOERR: "SQLITE_IOERR", SQLITE_CORRUPT: "SQLITE_CORRUPT",
        SQLITE_NOTFOUND: "SQLITE_NOTFOUND", SQLITE_FULL: "SQLITE_FULL", SQLITE_CANTOPEN: "SQLITE_CANTOPEN",
        SQLITE_PROTOCOL: "SQLITE_PROTOCOL", SQLITE_SCHEMA: "SQLITE_SCHEMA", SQLITE_TOOBIG: "SQLITE_TOOBIG",
        SQLITE_CONSTRAINT: "SQLITE_CONSTRAINT", SQLITE_MISMATCH: "SQLITE_MISMATCH",
        SQLITE_MISUSE: "SQLITE_MISUSE", SQLITE_NOLFS: "SQLITE_NOLFS", SQLITE_AUTH: "SQLITE_AUTH",
        SQLITE_RANGE: "SQLITE_RANGE", SQLITE_NOTADB: "SQLITE_NOTADB",
    ]
}
