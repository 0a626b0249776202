internal import CStratusSQLite
internal import Foundation

/// A function for SQL.
public struct SQLiteFunction: Sendable {
    /// What SQL calls it.
    public let name: String
    /// The number of arguments; -1 for any.
    public let argumentCount: Int32
    /// Whether equal arguments give equal answers.
    public let isDeterministic: Bool
    let body: @Sendable (SQLiteArguments) throws -> SQLiteValue

    /// Creates a function. A ``SQLiteFailure`` that it throws keeps its code; of other errors SQLite keeps the text.
    public init(
        _ name: String, _ argumentCount: Int32, isDeterministic: Bool = true,
        _ body: @escaping @Sendable (SQLiteArguments) throws -> SQLiteValue
    ) {
        self.name = name
        self.argumentCount = argumentCount
        self.isDeterministic = isDeterministic
        self.body = body
    }
}

/// A function over the rows of a group: SQLite makes one for each group.
public protocol SQLiteAggregate: AnyObject {
    init()
    /// Takes the arguments of one row.
    ///
    /// - Throws: an error that ends the statement: of a ``SQLiteFailure`` it keeps the code, of another error the text.
    func add(_ arguments: SQLiteArguments) throws
    /// What the rows amount to. A group without rows is null and has no aggregate.
    ///
    /// - Throws: an error that ends the statement: of a ``SQLiteFailure`` it keeps the code, of another error the text.
    func finish() throws -> SQLiteValue
}

/// The arguments of one call, valid until it returns; positions count from 0.
public struct SQLiteArguments {
    /// How many there are.
    public let count: Int
    private let handles: UnsafeMutablePointer<OpaquePointer?>?

    init(count: Int32, handles: UnsafeMutablePointer<OpaquePointer?>?) {
        self.count = Int(count)
        self.handles = handles
    }

    private func handle(_ position: Int) -> OpaquePointer? { position < count ? handles?[position] : nil }

    /// An integer, as SQLite converts to one; 0 for what is not a number.
    public func int(_ position: Int) -> Int64 { handle(position).map { sqlite3_value_int64($0) } ?? 0 }

    /// A number; nil for anything else.
    public func double(_ position: Int) -> Double? {
        guard let handle = handle(position) else { return nil }
        switch sqlite3_value_type(handle) {
        case SQLITE_INTEGER, SQLITE_FLOAT: return sqlite3_value_double(handle)
        default: return nil
        }
    }

    /// A text; nil for anything else.
    public func text(_ position: Int) -> String? {
        guard let handle = handle(position), sqlite3_value_type(handle) == SQLITE_TEXT,
            let start = sqlite3_value_text(handle)
        else { return nil }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(handle)))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A value of any kind; null beyond the last.
    public func value(_ position: Int) -> SQLiteValue {
        guard let handle = handle(position) else { return .null }
        switch sqlite3_value_type(handle) {
        case SQLITE_INTEGER: return .int(sqlite3_value_int64(handle))
        case SQLITE_FLOAT: return .double(sqlite3_value_double(handle))
        case SQLITE_TEXT: return text(position).map { .text($0) } ?? .null
        case SQLITE_BLOB:
            let count = Int(sqlite3_value_bytes(handle))
            guard count > 0, let start = sqlite3_value_blob(handle) else { return .blob(Data()) }
            return .blob(Data(bytes: start, count: count))
        default: return .null
        }
    }
}
