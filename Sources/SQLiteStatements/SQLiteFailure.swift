internal import GRDBSQLite

/// What SQLite answered instead of doing its work.
public struct SQLiteFailure: Error, CustomStringConvertible {
    /// SQLite's extended result code.
    public let code: Int32
    /// SQLite's own sentence.
    public let message: String

    /// Keeps a code and its sentence.
    public init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// The code without its extension, such as `SQLITE_CONSTRAINT`.
    public var primaryCode: Int32 { code & 0xFF }

    /// Whether a row was refused because there is another one with values that have to be unique.
    public var isDuplicate: Bool { code == Self.uniqueConstraint || code == Self.primaryKeyConstraint }

    // Swift does not see SQLite's names for these two, SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY.
    private static let uniqueConstraint = SQLITE_CONSTRAINT | 8 << 8
    private static let primaryKeyConstraint = SQLITE_CONSTRAINT | 6 << 8

    public var description: String { "SQLite \(code): \(message)" }
}
