import Foundation
import SQLiteAccess
import TestSupport
import Testing

@Suite struct SQLiteConnectionTests {
    private func memory() throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: ":memory:")
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a UNIQUE)")
        return connection
    }

    private func failure(_ body: () throws -> Void) -> SQLiteFailure? {
        do {
            try body()
            return nil
        } catch { return error as? SQLiteFailure }
    }

    // MARK: Opening and closing

    @Test func `What is no database is refused, and left as it is`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/text"
        try Data(repeating: 65, count: 4_096).write(to: URL(fileURLWithPath: path))
        let found = failure { _ = try SQLiteConnection(path: path) }
        #expect(found?.name == "SQLITE_NOTADB")
        #expect(found?.sentence == "file is not a database")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(repeating: 65, count: 4_096))
        #expect(
            failure { _ = try SQLiteConnection(path: directory.path + "/none/file") }?.name
                == "SQLITE_CANTOPEN")
    }

    @Test func `A connection that only reads makes no file and changes none`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        var options = SQLiteConnection.Options()
        options.isReadOnly = true
        #expect(failure { _ = try SQLiteConnection(path: path, options: options) }?.name == "SQLITE_CANTOPEN")
        try SQLiteConnection(path: path).execute("CREATE TABLE t (a)")
        let reader = try SQLiteConnection(path: path, options: options)
        #expect(failure { try reader.execute("INSERT INTO t VALUES (1)") }?.name == "SQLITE_READONLY")
    }

    @Test func `A closed connection refuses everything, and a statement that is held ends well`() throws {
        let connection = try memory()
        let statement = try connection.statement("SELECT 1")
        #expect(try statement.step())
        connection.close()
        connection.close()
        connection.interrupt()
        #expect(failure { _ = try connection.statement("SELECT 1") }?.isClosed == true)
        #expect(failure { try connection.execute("SELECT 1") }?.isClosed == true)
        #expect(statement.int(0) == 1)
    }

    @Test func `A lock of another connection is waited for`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        let first = try SQLiteConnection(path: path)
        try first.execute("CREATE TABLE t (a); BEGIN IMMEDIATE")
        var options = SQLiteConnection.Options()
        options.busySeconds = 0.1
        let second = try SQLiteConnection(path: path, options: options)
        let began = ContinuousClock.now
        #expect(failure { try second.transaction {} }?.name == "SQLITE_BUSY")
        #expect(ContinuousClock.now - began >= .milliseconds(90))
        try first.execute("COMMIT")
        try second.transaction {}
    }

    @Test func `A misspelt column in double quotes is an error and not a text`() throws {
        let connection = try memory()
        #expect(failure { _ = try connection.rows("SELECT \"b\" FROM t") }?.name == "SQLITE_ERROR")
    }

    // MARK: Statements

    @Test func `A statement that somebody steps through is not given to another`() throws {
        let connection = try memory()
        try connection.execute("INSERT INTO t (a) VALUES (1), (2), (3)")
        let sql = "SELECT a FROM t WHERE a >= ? ORDER BY a"
        let outer = try connection.statement(sql)
        outer.bind(Int64(1), at: 1)
        var seen: [[Int64]] = []
        while try outer.step() {
            let inner = try connection.statement(sql)
            #expect(inner !== outer)
            inner.bind(Int64(3), at: 1)
            while try inner.step() { seen.append([outer.int(0), inner.int(0)]) }
        }
        #expect(seen == [[1, 3], [2, 3], [3, 3]])
        #expect(try connection.statement(sql) === outer)
        // Bound and not yet stepped.
        let pair = try connection.stepping(sql) { outer in
            outer.bind(Int64(2), at: 1)
            let inner = try connection.statement(sql)
            inner.bind(Int64(3), at: 1)
            _ = try (inner.step(), outer.step())
            return [outer.int(0), inner.int(0)]
        }
        #expect(pair == [2, 3])
        #expect(try connection.statement(sql) === outer)
    }

    @Test func `A flood of texts empties the cache and changes no answer`() throws {
        var options = SQLiteConnection.Options()
        options.statementsKept = 3
        let connection = try SQLiteConnection(path: ":memory:", options: options)
        for round in 0..<20 {
            let statement = try connection.statement("SELECT \(round % 7)")
            #expect(try statement.step())
            #expect(statement.int(0) == Int64(round % 7))
            statement.reset()
        }
    }

    @Test func `A binding that SQLite refuses is told by the next step, once`() throws {
        let connection = try memory()
        let statement = try connection.statement("INSERT INTO t (a) VALUES (?)")
        statement.bind("kept", at: 1)
        statement.bind(Int64(1), at: 2)
        #expect(failure { try statement.run() }?.name == "SQLITE_RANGE")
        #expect(try connection.number("SELECT count(*) FROM t") == 0)
        try statement.run()
        #expect(try connection.rows("SELECT a FROM t") == [[.text("kept")]])
    }

    @Test func `A text without a statement is refused`() throws {
        let connection = try memory()
        for text in ["", "  -- nothing"] {
            #expect(failure { _ = try connection.statement(text) }?.message == "The text has no statement.")
        }
    }

    @Test(arguments: Seed.some(40))
    func `Values of all kinds come back as they went in`(seed: Seed) throws {
        var random = seed.random
        let bytes = (0..<random.int(0...9)).map { _ in UInt8(random.int(0...255)) }
        let values: [SQLiteValue] = [
            .null, .int(Int64(random.int(-9_999...9_999))), .int(.min),
            .double(Double(random.int(0...99)) + 0.5),
            .text(""), .text("a\0b \(random.int(0...9))"), .text("é\u{301}"), .blob(Data()),
            .blob(Data(bytes)),
        ]
        let connection = try memory()
        let places = values.map { _ in "?" }.joined(separator: ", ")
        #expect(try connection.rows("SELECT \(places)", values) == [values])
    }

    // MARK: Errors

    @Test func `Errors have their extended code`() throws {
        let connection = try memory()
        try connection.execute("INSERT INTO t VALUES (1, 1); CREATE TABLE n (a NOT NULL CHECK (a > 0))")
        let unique = failure { try connection.run("INSERT INTO t (a) VALUES (?)", [.int(1)]) }
        #expect(unique?.code == 2_067)
        #expect(unique?.isDuplicate == true)
        #expect(failure { try connection.run("INSERT INTO t VALUES (?, 2)", [.int(1)]) }?.isDuplicate == true)
        let missing = failure { try connection.run("INSERT INTO n VALUES (?)", [.null]) }
        #expect(missing?.code == 1_299)
        #expect(missing?.name == "SQLITE_CONSTRAINT")
        #expect(missing?.isDuplicate == false)
        #expect(missing?.sentence == "constraint failed")
        #expect(failure { try connection.run("INSERT INTO n VALUES (?)", [.int(0)]) }?.code == 275)
    }

    // MARK: Transactions

    @Test func `A transaction is whole or nothing, and tells how it ended`() throws {
        struct Stop: Error {}
        let connection = try memory()
        var ends: [Bool] = []
        connection.transactionEnded = { ends.append($0) }
        try connection.transaction {
            #expect(connection.isInTransaction)
            try connection.execute("INSERT INTO t (a) VALUES (1)")
        }
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO t (a) VALUES (2)")
                throw Stop()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(ends == [true, false])
        #expect(try connection.rows("SELECT a FROM t") == [[.int(1)]])
        #expect(connection.lastInsertedID > 0)
    }

    // MARK: Ending early

    private static let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

    @Test func `A deadline and an interruption end a statement`() throws {
        var options = SQLiteConnection.Options()
        options.hasDeadline = true
        let connection = try SQLiteConnection(path: ":memory:", options: options)
        connection.allow(until: 0)
        #expect(failure { _ = try connection.rows(Self.endless) }?.name == "SQLITE_INTERRUPT")
        connection.allow(until: nil)
        #expect(try connection.number("SELECT 1") == 1)
        let isDone = DispatchSemaphore(value: 0)
        let interrupter = Thread {
            // Again and again: the statement may not have begun.
            while isDone.wait(timeout: .now() + 0.01) == .timedOut { connection.interrupt() }
        }
        interrupter.start()
        #expect(failure { _ = try connection.rows(Self.endless) }?.name == "SQLITE_INTERRUPT")
        isDone.signal()
    }
}
