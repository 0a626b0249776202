internal import CStratusSQLite
internal import Synchronization

/// One open handle on a database file, with its prepared statements.
///
/// What SQLite refuses is thrown as the error that the connection's owner makes of a ``SQLiteFailure``.
///
/// Unchecked because the compiler cannot see the rule that makes it safe: a connection is used by one thread at a
/// time, which its owner sees to. Only ``interrupt()`` may be called by any thread.
public final class SQLiteConnection: @unchecked Sendable {
    /// How a file is opened.
    public struct Options: Sendable {
        /// Whether the file is only read; otherwise it is made where it is missing.
        public var isReadOnly = false
        /// The virtual file system that opens the file, by its name; nil for SQLite's own.
        public var fileSystem: String?
        /// How long a statement waits for a lock of another connection, in seconds.
        public var busySeconds = 0.0
        /// Run in this order before anything else: settings of the connection and of a new file.
        public var statements: [String] = []
        /// Whether transactions set what their commits wait for; otherwise the statements above have said it.
        public var setsDurability = false
        /// Whether ``SQLiteConnection/allow(until:)`` is used.
        public var hasDeadline = false
        /// The most prepared statements that are kept.
        public var statementsKept = 400
        /// The most bytes of SQL text whose prepared statements are kept: one is many times its text.
        public var statementBytesKept = 200_000

        /// Opens for reading and writing, unless it is changed.
        public init() {}
    }

    /// SQLite's own handle; it ends with ``close()``.
    public let handle: OpaquePointer
    /// When the connection's work has to end.
    public let deadline = Deadline()
    /// Called after each ``transaction(_:)``, with whether it was committed.
    public var transactionEnded: ((_ committed: Bool) -> Void)?

    /// Called where a transaction could not be rolled back: its caller gets the error that was the reason for rolling it back.
    public var rollbackFailed: ((any Error) -> Void)?

    private let options: Options
    /// What commits wait for now; nil until a transaction has set it.
    private var durability: Durability?
    private let failure: @Sendable (SQLiteFailure) -> any Error
    private var statements: [String: PreparedStatement] = [:]
    private var statementBytes = 0
    private var isClosed = false
    /// Held while another thread interrupts, so that the handle does not end meanwhile.
    private let canInterrupt = Mutex(true)

    /// How many steps of SQLite's machine pass between two looks at the clock: some tens of microseconds.
    private static let stepsPerLook: Int32 = 4_000

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: the path, `:memory:`, or an address that begins with `file:`.
    ///   - failure: makes the error that is thrown from SQLite's.
    /// - Throws: what `failure` makes, also where the file is not a database.
    public init(
        path: String, options: Options = Options(),
        failure: @escaping @Sendable (SQLiteFailure) -> any Error = { $0 }
    ) throws {
        let access = options.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            path, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, options.fileSystem)
        guard code == SQLITE_OK, let handle else {
            let found = SQLiteFailure(code: code, database: handle)
            // Even a failed opening leaves a handle; there is nothing to do about a failure to close it.
            _ = sqlite3_close_v2(handle)
            throw failure(found)
        }
        self.handle = handle
        self.options = options
        self.failure = failure
        do { try configure() } catch {
            close()
            throw error
        }
    }

    private func configure() throws {
        try check(sqlite3_extended_result_codes(handle, 1))
        try check(sqlite3_busy_timeout(handle, Int32(clamping: Int(options.busySeconds * 1_000))))
        try check(stratus_sqlite3_refuse_quoted_texts(handle))
        for statement in options.statements { try execute(statement) }
        // SQLite looks at a file only when it has to: what is not a database is refused here.
        try execute("SELECT 1 FROM sqlite_master LIMIT 1")
        guard options.hasDeadline else { return }
        sqlite3_progress_handler(
            handle, Self.stepsPerLook,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
            }, Unmanaged.passUnretained(deadline).toOpaque())
    }

    deinit { close() }

    /// Closes the statements and the file. A statement that somebody still holds keeps the file open until it goes.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        canInterrupt.withLock { $0 = false }
        statements.removeAll()
        // The deadline goes with this object, and a statement may stay.
        sqlite3_progress_handler(handle, 0, nil, nil)
        let code = sqlite3_close_v2(handle)
        assert(code == SQLITE_OK, "sqlite3_close_v2 answers anything else only for a handle that is none")
    }

    /// Ends the statements that run at this moment with `SQLITE_INTERRUPT`. May be called by any thread.
    public func interrupt() {
        canInterrupt.withLock { if $0 { sqlite3_interrupt(handle) } }
    }

    /// Lets statements run until a time (nanoseconds of `DispatchTime`), or without end.
    ///
    /// - Returns: the number of this period, by which ``Deadline/giveUp(_:)`` of ``deadline`` ends it early.
    @discardableResult
    public func allow(until end: UInt64?) -> UInt64 {
        assert(options.hasDeadline || end == nil)
        return deadline.begin(until: end)
    }

    /// Makes commits wait for what a transaction asks.
    func require(_ durability: Durability) throws {
        guard options.setsDurability, self.durability != durability else { return }
        try execute("PRAGMA synchronous = \(durability.rawValue)")
        self.durability = durability
    }

    /// Throws the error that a result code stands for.
    ///
    /// - Throws: what the connection's owner makes of the ``SQLiteFailure``, unless the code is `SQLITE_OK`, `SQLITE_ROW` or
    ///   `SQLITE_DONE`.
    public func check(_ code: Int32) throws {
        guard code != SQLITE_OK, code != SQLITE_DONE, code != SQLITE_ROW else { return }
        throw failure(SQLiteFailure(code: code, database: handle))
    }

    // MARK: Statements

    /// The prepared statement of a text, ready to be bound, for a use that ends before others use the connection.
    ///
    /// - Throws: what the connection's owner makes of a ``SQLiteFailure``: SQLite refuses the text, or the connection is closed.
    public func statement(_ sql: String) throws -> PreparedStatement {
        if let statement = statements[sql] {
            // Somebody steps through it: a second user gets one of its own.
            return statement.isInUse ? try makeStatement(sql) : statement
        }
        let statement = try makeStatement(sql)
        // Texts are made from a bounded set of shapes; a flood of new ones only costs preparing again.
        if statements.count >= options.statementsKept || statementBytes >= options.statementBytesKept {
            forgetStatements()
        }
        statements[sql] = statement
        statementBytes += sql.utf8.count
        return statement
    }

    /// Runs a closure that steps through a statement and may use the connection otherwise meanwhile.
    ///
    /// - Throws: what the closure throws; where the statement cannot be prepared, what the connection's owner makes of the
    ///   ``SQLiteFailure``.
    @inlinable
    public func stepping<Value>(_ sql: String, _ body: (PreparedStatement) throws -> Value) throws -> Value {
        let statement = try statement(sql)
        statement.isReserved = true
        defer {
            statement.reset()
            statement.isReserved = false
        }
        return try body(statement)
    }

    /// A statement that nobody keeps for others.
    ///
    /// - Throws: what the connection's owner makes of a ``SQLiteFailure``: the text is not a statement, or the connection is
    ///   closed.
    public func makeStatement(_ sql: String) throws -> PreparedStatement {
        guard !isClosed else { throw failure(.closed) }
        return try PreparedStatement(sql, database: handle, failure: failure)
    }

    /// Runs statements without results.
    ///
    /// - Throws: what the connection's owner makes of the ``SQLiteFailure`` of the first statement that fails; those before it
    ///   are done.
    public func execute(_ sql: String) throws {
        guard !isClosed else { throw failure(.closed) }
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// Forgets all prepared statements, which a change of tables makes stale.
    public func forgetStatements() {
        statements.removeAll(keepingCapacity: true)
        statementBytes = 0
    }

    /// How many rows the last statement changed.
    public var changeCount: Int { Int(sqlite3_changes(handle)) }

    /// The key of the row that was inserted last.
    public var lastInsertedID: Int64 { sqlite3_last_insert_rowid(handle) }
}
