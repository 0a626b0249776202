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

    public var description: String { "SQLite \(code): \(message)" }
}
