internal import CLibPQ

/// What PostgreSQL, or the way to it, answered instead of doing its work.
public struct PostgresFailure: Error, CustomStringConvertible, Sendable {
    /// The code of five characters, such as `23505` for a key that already exists; nil where no server answered.
    ///
    /// The codes are documented at <https://www.postgresql.org/docs/15/errcodes-appendix.html>.
    public let code: String?
    /// The server's or libpq's own sentence; it may hold names of tables, hosts, and values of keys.
    public let message: String
    /// The constraint that refused, where one did.
    public let constraint: String?
    /// Whether the connection can be used on.
    public let isConnectionLost: Bool

    init(code: String?, message: String, constraint: String? = nil, isConnectionLost: Bool) {
        self.code = code
        self.message = message
        self.constraint = constraint
        self.isConnectionLost = isConnectionLost
    }

    /// What a result says.
    init(result: OpaquePointer, connection: OpaquePointer) {
        func field(_ code: Int32) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
        let sentence = field(Field.primary) ?? String(cString: PQresultErrorMessage(result))
        let detail = field(Field.detail).map { " " + $0 } ?? ""
        self.init(
            code: field(Field.sqlState), message: sentence.trimmed + detail,
            constraint: field(Field.constraint), isConnectionLost: PQstatus(connection) != CONNECTION_OK)
    }

    /// What the connection itself says.
    init(connection: OpaquePointer?) {
        let message = connection.map { String(cString: PQerrorMessage($0)) } ?? "There is not enough memory."
        self.init(
            code: nil, message: message.trimmed.isEmpty ? "The connection was lost." : message.trimmed,
            isConnectionLost: true)
    }

    /// Something was asked of a connection after it was closed.
    public static let closed = PostgresFailure(
        code: nil, message: "The connection is closed.", isConnectionLost: true)

    /// Whether a row with the same key already exists.
    public var isDuplicate: Bool { code == "23505" }

    /// Whether it was not run, since something before it in its transaction failed.
    var isInFailedTransaction: Bool { code == "25P02" }

    /// Whether it ended because somebody asked for it, or its time was over.
    public var isCancelled: Bool { code == "57014" }

    /// Whether a row or a table would be wider than PostgreSQL has them: some 8,000 bytes that cannot be moved out of the row,
    /// 2,700 bytes in an index, 1,600 columns, removed ones among them.
    public var isTooWide: Bool { code == "54000" || code == "54011" }

    /// Whether the same work may succeed when it is started over at once: another transaction was in its way.
    public var isConflict: Bool { ["40001", "40P01"].contains(code) || isLockTimeout }

    /// Whether another transaction held a lock for longer than there was time to wait.
    public var isLockTimeout: Bool { code == "55P03" }

    /// Whether the server's disk is full.
    public var isFull: Bool { code == "53100" }

    /// Whether the server is on its way down or up, or another one is the primary now, or it has no connection or memory
    /// left: the same work may succeed on another connection in a while.
    public var isUnavailable: Bool {
        guard let code else { return true }
        guard !isFull else { return false }
        return code.hasPrefix("08") || code.hasPrefix("53")
            || ["57P01", "57P02", "57P03", "57P05", "25006"].contains(code)
    }

    public var description: String { "PostgreSQL \(code ?? "connection"): \(message)" }

    /// The letters by which libpq tells the fields of an error: the constants are characters, which Swift reads as
    /// 32-bit numbers.
    private enum Field {
        static let sqlState = Int32(UInt8(ascii: "C"))
        static let primary = Int32(UInt8(ascii: "M"))
        static let detail = Int32(UInt8(ascii: "D"))
        static let constraint = Int32(UInt8(ascii: "n"))
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = Substring(self)
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
