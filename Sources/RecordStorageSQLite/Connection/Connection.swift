import Foundation
import GRDB
import GRDBSQLite
import RecordModel
import RecordStorage
import SQLiteStatements

/// One open handle on the database file, with its prepared statements.
///
/// GRDB opens, configures and closes it; the hot paths talk to SQLite's own functions, which cost a tenth of
/// GRDB's for one row (peers.md, section B).
///
/// Unchecked because the compiler cannot see the rule that makes it safe: a connection is owned by one thread
/// at a time, handed over by ``ConnectionPool`` or kept by the writing thread.
final class Connection: @unchecked Sendable {
    /// What a connection is for.
    enum Role {
        case reader, writer, checkpointer
    }

    private let queue: DatabaseQueue
    let handle: OpaquePointer
    private var statements: [String: Statement] = [:]
    private var textKept = 0
    private var isClosed = false
    private let deadline = Deadline()

    /// The most prepared statements that one connection keeps.
    private static let statementsKept = 400
    /// The most bytes of SQL text that one connection keeps: a prepared statement is many times its text.
    private static let textKept = 200_000

    /// Opens the file.
    ///
    /// - Throws: ``StorageError``.
    init(path: String, role: Role, cacheKiB: Int) throws {
        var configuration = Configuration()
        configuration.label = "stratus-\(role)"
        configuration.busyMode = .timeout(10)
        configuration.readonly = false
        configuration.prepareDatabase { [deadline] database in
            try database.execute(sql: "PRAGMA cache_size = -\(cacheKiB)")
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
            switch role {
            case .reader: try database.execute(sql: "PRAGMA query_only = 1")
            case .writer:
                try database.execute(sql: "PRAGMA journal_mode = WAL")
                // An acknowledged write is on disk (DESIGN.md, decision 3).
                try database.execute(sql: "PRAGMA synchronous = FULL")
                // The checkpoint has a thread of its own: in the commit path it would be the p99.
                try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            case .checkpointer: try database.execute(sql: "PRAGMA synchronous = FULL")
            }
            for function in SQLFunctions.all(deadline) { database.add(function: function) }
        }
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            guard let handle = queue.inDatabase({ $0.sqliteConnection }) else { throw StorageError.closed }
            self.queue = queue
            self.handle = handle
        } catch let error as DatabaseError {
            throw StorageError(error)
        }
        // GRDB's hooks serve its observers and expect every statement to be GRDB's own; none of ours is.
        sqlite3_commit_hook(handle, nil, nil)
        sqlite3_rollback_hook(handle, nil, nil)
        sqlite3_update_hook(handle, nil, nil)
        // Every 4,000 steps of SQLite's machine, some tens of microseconds, a look at the clock.
        sqlite3_progress_handler(
            handle, 4_000,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
            }, Unmanaged.passUnretained(deadline).toOpaque())
    }

    deinit { close() }

    /// Closes the statements and the file.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        statements.removeAll()
        // Before the file is closed: afterwards the handle is memory of others.
        sqlite3_progress_handler(handle, 0, nil, nil)
        try? queue.close()
    }

    /// Lets statements run for so many seconds from now, or without end.
    func allow(seconds: Int?) { deadline.set(seconds: seconds) }

    /// The prepared statement of a text, ready to be bound.
    func statement(_ sql: String) throws -> Statement {
        if let statement = statements[sql] {
            return statement
        }
        // Texts are made from a bounded set of shapes; a flood of new ones only costs preparing again.
        if statements.count >= Self.statementsKept || textKept >= Self.textKept { forgetStatements() }
        let statement = try Statement(sql, database: handle) { StorageError($0) }
        statements[sql] = statement
        textKept += sql.utf8.count
        return statement
    }

    /// Runs statements without results.
    func execute(_ sql: String) throws {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// Forgets all prepared statements, which a change of tables makes stale.
    func forgetStatements() {
        statements.removeAll(keepingCapacity: true)
        textKept = 0
    }

    /// Throws the error that a result code stands for.
    func check(_ code: Int32) throws {
        guard code != SQLITE_OK, code != SQLITE_DONE, code != SQLITE_ROW else { return }
        throw StorageError(SQLiteFailure(code: code, message: String(cString: sqlite3_errmsg(handle))))
    }
}

extension StorageError {
    init(_ failure: SQLiteFailure) {
        self.init(
            DatabaseError(resultCode: ResultCode(rawValue: failure.code), message: failure.message))
    }

    /// Tells from SQLite's result code what an operator can do.
    init(_ error: DatabaseError) {
        switch error.resultCode {
        case .SQLITE_FULL: self = .full(error)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(error)
        case .SQLITE_INTERRUPT: self = .timeout(seconds: Limits.querySeconds)
        case .SQLITE_BUSY: self = .busy
        default: self = .engine("SQLite failed.", error)
        }
    }
}
