internal import CLibPQ

/// A connection to a PostgreSQL server, used by one thread at a time.
///
/// Everything goes through libpq's pipeline: what is asked together is sent together, in one trip. Answers come in
/// binary form. A call waits with `poll`, so it belongs on a thread that may wait and never on Swift's own pool of
/// threads (``PostgresPool`` has such threads).
public final class PostgresConnection {
    /// libpq's own handle; nil after closing.
    private(set) var handle: OpaquePointer?
    /// The names of the statements that this connection has prepared.
    var prepared = PreparedNames()
    /// Names that the server has and ``prepared`` has not any more.
    var evicted: [String] = []
    /// Says when nothing more may be begun; of the work that has the connection at the moment.
    var stop: PostgresStop?
    /// What ``endReading()`` sent, and nobody has waited for.
    var ending: [Step]?
    let silenceMilliseconds: Int32
    /// Where it is counted how often the server is waited for.
    public var trips: PostgresTrips?

    /// How long a server may say nothing while an answer is due, in seconds. Longer than any statement may take
    /// (`statement_timeout`), since it costs the connection.
    public static let silenceSeconds = 60

    /// Connects.
    ///
    /// - Parameters:
    ///   - url: what libpq takes: `postgres://user@host1,host2/database?target_session_attrs=read-write&sslmode=verify-full`,
    ///     or keywords and values (<https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING>).
    ///   - settings: run-time parameters of the session, such as `statement_timeout`.
    ///   - silenceSeconds: how long the server may say nothing while an answer is due.
    ///   - trips: where it is counted how often the server was waited for.
    /// - Throws: ``PostgresFailure``: nobody answers, or the server does not let in. Takes ten seconds a host at most,
    ///   unless the URL says otherwise.
    public init(
        url: String, settings: [String: String] = [:],
        silenceSeconds: Int = PostgresConnection.silenceSeconds, trips: PostgresTrips? = nil
    ) throws {
        self.trips = trips
        silenceMilliseconds = Int32(clamping: silenceSeconds * 1_000)
        let options = Self.options(settings)
        // The first word stands for the URL's own words, which replace those before it and not those after it.
        let words = [
            ("connect_timeout", "10"), ("fallback_application_name", "stratus"),
            ("tcp_user_timeout", "20000"),
            ("dbname", url), ("client_encoding", "UTF8"), ("options", options),
        ]
        let handle = Self.withCStrings(words.map(\.0)) { keys in
            Self.withCStrings(words.map(\.1)) { values in PQconnectdbParams(keys, values, 1) }
        }
        self.handle = handle
        guard let handle, PQstatus(handle) == CONNECTION_OK else {
            let failure = PostgresFailure(connection: handle)
            close()
            throw failure
        }
        guard PQenterPipelineMode(handle) == 1, PQsetnonblocking(handle, 1) == 0 else {
            let failure = PostgresFailure(connection: handle)
            close()
            throw failure
        }
        // Notices go nowhere: libpq writes them to the process's standard error otherwise.
        _ = PQsetNoticeReceiver(handle, { _, _ in }, nil)
    }

    deinit { close() }

    /// Ends the connection; what is asked of it later throws ``PostgresFailure/closed``.
    public func close() {
        if let handle { PQfinish(handle) }
        handle = nil
    }

    /// Whether the connection can be used on, as far as is known.
    public var isOpen: Bool { handle.map { PQstatus($0) == CONNECTION_OK } ?? false }

    /// Whether a transaction is open, failed ones included.
    public var isInTransaction: Bool {
        guard let handle else { return false }
        let status = PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// The version of the server, such as 150018.
    public var serverVersion: Int { handle.map { Int(PQserverVersion($0)) } ?? 0 }

    /// What ends the statement that is running, from any thread.
    public func makeCancellation() -> PostgresCancellation? {
        handle.flatMap { PQgetCancel($0) }.map(PostgresCancellation.init)
    }

    /// `-c name=value` for each, with what libpq reads as a separator escaped.
    private static func options(_ settings: [String: String]) -> String {
        settings.sorted { $0.key < $1.key }
            .map { name, value in
                let escaped = value.flatMap { $0 == " " || $0 == "\\" ? ["\\", $0] : [$0] }
                return "-c \(name)=\(String(escaped))"
            }
            .joined(separator: " ")
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        var bytes: [CChar] = []
        let offsets = texts.map { text in
            defer { bytes.append(contentsOf: text.utf8CString) }
            return bytes.count
        }
        return bytes.withUnsafeBufferPointer { bytes in
            let start = bytes.baseAddress
            let pointers: [UnsafePointer<CChar>?] =
                offsets.map { offset in start.map { $0 + offset } } + [nil]
            return pointers.withUnsafeBufferPointer { pointers in
                guard let first = pointers.baseAddress else {
                    preconditionFailure("an array of one element at least")
                }
                return body(first)
            }
        }
    }
}

/// Ends the statement that a connection is running.
public final class PostgresCancellation: Sendable {
    // Unsafe because it is a pointer: libpq's function for it may be called from any thread, and changes nothing of
    // what it is given: https://www.postgresql.org/docs/15/libpq-cancel.html
    nonisolated(unsafe) private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQfreeCancel(handle) }

    /// Asks the server, by a connection of its own, to end the statement; it fails with ``PostgresFailure/isCancelled``
    /// then, unless it was done already. Waits for the server.
    ///
    /// - Returns: why it could not be asked; nil where it was.
    @discardableResult
    public func cancel() -> String? {
        var message = [CChar](repeating: 0, count: 256)
        let wasAsked = PQcancel(handle, &message, Int32(message.count)) == 1
        guard !wasAsked else { return nil }
        return String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
