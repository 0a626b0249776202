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
    /// What a commit waits for now; nil where the app set `PRAGMA synchronous` itself, or there is no disk.
    private var durability: Durability?

    /// What a commit waits for.
    enum Durability: String {
        /// The disk.
        case disk = "FULL"
        /// The operating system: it reaches the disk with the next commit that waits for that.
        case system = "NORMAL"
    }

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
        if settings.pragmas["synchronous"] == nil, !settings.isInMemory, !settings.isReadOnly {
            durability = .disk
        }
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
    func transaction<Value>(
        _ durability: Durability = .disk, _ body: () throws -> Value
    ) throws -> Value {
        try begin(durability)
        do {
            let value = try body()
            try commit()
            return value
        } catch {
            rollBack()
            throw error
        }
    }

    /// Begins a transaction that has the write lock.
    ///
    /// Each says what its commit waits for, and nothing begins where SQLite does not take that: a setting that had to
    /// be put back afterwards would weaken all later commits when that failed.
    func begin(_ durability: Durability = .disk) throws {
        if let current = self.durability, current != durability {
            try execute("PRAGMA synchronous = \(durability.rawValue)")
            self.durability = durability
        }
        try statement("BEGIN IMMEDIATE").run()
    }

    /// Hands the pages of the transaction to the operating system, as far as nobody reads them: a full disk shows
    /// before the commit.
    func flush() throws {
        let code = sqlite3_db_cacheflush(handle)
        guard code == SQLITE_OK || code == SQLITE_BUSY else {
            throw CoreDataError.sqlite(
                SQLiteFailure(code: code, message: String(cString: sqlite3_errmsg(handle)))
            ).cocoa
        }
    }

    /// Ends the transaction; where that fails, it still has to be rolled back.
    func commit() throws {
        try statement("COMMIT").run()
        transactionEnded?(true)
    }

    /// Takes the transaction back.
    func rollBack() {
        // A full disk may have ended the transaction already.
        if sqlite3_get_autocommit(handle) == 0 {
            do { try execute("ROLLBACK") } catch {
                CoreDataLog.report("A transaction was not rolled back: \(error)")
            }
        }
        transactionEnded?(false)
    }
}
