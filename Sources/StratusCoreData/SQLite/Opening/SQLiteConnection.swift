internal import GRDB
internal import GRDBSQLite
internal import SQLiteStatements

/// One open handle on a store's file, with its prepared statements.
///
/// GRDB opens, configures and closes it; the statements are SQLite's own. Used under the coordinator's lock, by
/// one thread at a time.
final class SQLiteConnection {
    private let queue: DatabaseQueue
    let handle: OpaquePointer
    private var statements: [String: PreparedStatement] = [:]
    /// The statements that somebody steps through: a second user gets one of its own.
    private var inUse: Set<String> = []
    private var isClosed = false
    /// Called after each transaction, with whether it was committed.
    var transactionEnded: ((_ committed: Bool) -> Void)?

    /// The most prepared statements that are kept.
    private static let statementsKept = 300

    /// Opens a file.
    ///
    /// - Throws: `CocoaError`.
    init(path: String, settings: StoreSettings, isReader: Bool = false) throws {
        var configuration = Configuration()
        configuration.label = "stratus-coredata"
        configuration.busyMode = .timeout(settings.timeout)
        configuration.readonly = settings.isReadOnly
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { database in
            try settings.prepare(database, isReader: isReader)
            for function in StoreFunctions.affected { database.add(function: function) }
        }
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            guard let handle = queue.inDatabase({ $0.sqliteConnection }) else {
                throw CoreDataError.storeIsClosed(URL(fileURLWithPath: path)).cocoa
            }
            self.queue = queue
            self.handle = handle
        } catch let error as DatabaseError {
            throw CoreDataError.sqlite(error).cocoa
        }
        // GRDB's hooks serve its observers and expect every statement to be GRDB's own; none of ours is.
        sqlite3_commit_hook(handle, nil, nil)
        sqlite3_rollback_hook(handle, nil, nil)
        sqlite3_update_hook(handle, nil, nil)
        sqlite3_set_authorizer(handle, nil, nil)
        try SQLFunctions.install(on: handle)
    }

    deinit { close() }

    /// Closes the statements and the file.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        statements.removeAll()
        try? queue.close()
    }

    // MARK: Statements

    /// The prepared statement of a text, for a use that ends before anybody else can use the connection.
    func statement(_ sql: String) throws -> PreparedStatement {
        if let statement = statements[sql], !inUse.contains(sql) { return statement }
        let statement = try makeStatement(sql)
        // Texts are made from a bounded set of shapes; a flood of new ones only costs preparing again.
        if statements.count >= Self.statementsKept { statements.removeAll(keepingCapacity: true) }
        if !inUse.contains(sql) { statements[sql] = statement }
        return statement
    }

    /// Runs a closure that steps through a statement and may call others meanwhile.
    func stepping<Value>(_ sql: String, _ body: (PreparedStatement) throws -> Value) throws -> Value {
        let statement = try statement(sql)
        let isFirst = inUse.insert(sql).inserted
        defer {
            statement.reset()
            if isFirst { inUse.remove(sql) }
        }
        return try body(statement)
    }

    /// A statement that nobody keeps for others.
    func makeStatement(_ sql: String) throws -> PreparedStatement {
        guard !isClosed else { throw CoreDataError.storeIsClosed(nil).cocoa }
        return try PreparedStatement(sql, database: handle) { CoreDataError.sqlite($0).cocoa }
    }

    /// Runs statements without results.
    func execute(_ sql: String) throws {
        guard !isClosed else { throw CoreDataError.storeIsClosed(nil).cocoa }
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw CoreDataError.sqlite(
                SQLiteFailure(code: code, message: String(cString: sqlite3_errmsg(handle)))
            ).cocoa
        }
    }

    /// Forgets all prepared statements.
    func forgetStatements() { statements.removeAll() }

    /// How many rows the last statement changed.
    var changeCount: Int { Int(sqlite3_changes(handle)) }

    // MARK: Transactions

    /// Runs a closure in a transaction that has the write lock from the start.
    func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        try statement("BEGIN IMMEDIATE").run()
        do {
            let value = try body()
            try statement("COMMIT").run()
            transactionEnded?(true)
            return value
        } catch {
            // A full disk may have ended the transaction already.
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            transactionEnded?(false)
            throw error
        }
    }
}
