import Foundation
import PostgresAccess
import TestSupport
import Testing

@Suite struct PostgresConnectionTests {
    private func connect(settings: [String: String] = [:]) throws -> PostgresConnection {
        try PostgresConnection(url: try PostgresCluster.shared().url, settings: settings)
    }

    private func failure(_ body: () throws -> Void) -> PostgresFailure? {
        do { try body() } catch { return error as? PostgresFailure }
        return nil
    }

    @Test func `Values of all types come back as they were sent`() throws {
        let connection = try connect()
        let statement = PostgresStatement(
            "SELECT $1, $2, $3, $4, $5", .int8, .float8, .text, .bytea, .bool)
        var random = Seed.one.random
        for _ in 0..<200 {
            let int = Int64(bitPattern: random.next())
            let double = Double(bitPattern: random.next())
            let text = random.text(["a", "ä", "🦜", "'", "\\", "\u{202E}", "e\u{301}"], 0...12)
            let bytes = (0..<random.int(0...9)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let rows = try connection.run(
                statement, .int(int), .double(double), .text(text), .bytes(bytes), .bool(int > 0))
            #expect(rows.int(0, 0) == int)
            #expect(rows.double(0, 1).bitPattern == double.bitPattern || double.isNaN)
            #expect(rows.text(0, 2).unicodeScalars.elementsEqual(text.unicodeScalars))
            #expect(Array(rows.bytes(0, 3)) == bytes)
            #expect(rows.bool(0, 4) == (int > 0))
        }
        let nulls = try connection.run(statement, .null, .null, .null, .null, .null)
        for column in 0..<5 { #expect(nulls.isNull(0, column)) }
        #expect(nulls.optionalInt(0, 0) == nil && nulls.optionalText(0, 2) == nil)
    }

    @Test func `Arrays become rows, NULLs and empty ones included`() throws {
        let connection = try connect()
        let statement = PostgresStatement(
            "SELECT * FROM unnest($1, $2, $3, $4, $5) AS row(a, b, c, d, e)", .int8Array, .float8Array,
            .textArray, .byteaArray, .boolArray)
        let rows = try connection.run(
            statement, .ints([1, nil, -3]), .doubles([nil, 0.5, .infinity]), .texts(["x", "", nil]),
            .bytesList([nil, [], [0, 255]]), .bools([true, nil, false]))
        #expect(rows.count == 3)
        #expect((0..<3).map { rows.optionalInt($0, 0) } == [1, nil, -3])
        #expect((0..<3).map { rows.isNull($0, 1) ? -1 : rows.double($0, 1) } == [-1, 0.5, .infinity])
        #expect((0..<3).map { rows.optionalText($0, 2) } == ["x", "", nil])
        #expect((0..<3).map { rows.isNull($0, 3) ? nil : Array(rows.bytes($0, 3)) } == [nil, [], [0, 255]])
        #expect((0..<3).map { rows.isNull($0, 4) ? nil : rows.bool($0, 4) } == [true, nil, false])
        let none = try connection.run(
            statement, .ints([]), .doubles([]), .texts([]), .bytesList([]), .bools([]))
        #expect(none.count == 0)
    }

    @Test func `An end that nobody waited for is taken in with the next answer`() throws {
        let connection = try connect()
        try connection.run(sql: "CREATE TEMPORARY TABLE t (k int8 UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        for number in 0..<50 {
            try connection.run(sql: "BEGIN")
            try connection.run(sql: "SELECT \(number)")
            try connection.endReading()
            #expect(!connection.isInTransaction)
            if number % 3 == 0 { try connection.run(sql: "INSERT INTO t VALUES (\(number))") }
        }
        #expect(try connection.run(sql: "SELECT count(*) FROM t").int(0, 0) == 17)
        // One that is refused is as over as others, and what comes after it is done once.
        try connection.run(sql: "BEGIN")
        try connection.run(sql: "INSERT INTO t VALUES (0)")
        try connection.endReading()
        try connection.run(sql: "INSERT INTO t VALUES (1000)")
        #expect(try connection.run(sql: "SELECT count(*) FROM t").int(0, 0) == 18)
        #expect(!connection.isInTransaction && connection.isOpen)
        // A failed one ends, too.
        try connection.run(sql: "BEGIN")
        #expect(failure { try connection.run(sql: "SELECT 1 / 0") }?.code == "22012")
        try connection.endReading()
        #expect(try connection.run(sql: "SELECT 1").int(0, 0) == 1)
        connection.close()
        #expect(failure { try connection.endReading() }?.isConnectionLost == true)
    }

    @Test func `An end that makes another statement go leaves answers where they belong`() throws {
        let connection = try connect()
        for round in 0..<3 {
            try connection.run(sql: "BEGIN")
            // More than a connection keeps, so that COMMIT is prepared again and the oldest goes for it.
            for number in 0..<520 {
                #expect(
                    try connection.run(sql: "SELECT \(number) + \(round)").int(0, 0) == Int64(number + round))
            }
            try connection.endReading()
            let rows = try connection.run([
                PostgresCommand(sql: "SELECT 7"), PostgresCommand(sql: "SELECT 8"),
            ])
            #expect(rows.map { $0.int(0, 0) } == [7, 8])
        }
        #expect(connection.isOpen && !connection.isInTransaction)
        let kept = try connection.run(sql: "SELECT count(*) FROM pg_prepared_statements").int(0, 0)
        // 500, and the one that counts them.
        #expect(kept <= 501, "\(kept) statements are kept")
    }

    @Test func `What is sent together is all or nothing, and the connection goes on`() throws {
        let connection = try connect()
        try connection.run(sql: "CREATE TEMPORARY TABLE t (k int8 PRIMARY KEY, v text)")
        let insert = PostgresStatement("INSERT INTO t VALUES ($1, $2)", .int8, .text)
        let rows = try connection.run((1...100).map { PostgresCommand(insert, .int($0), .text("v\($0)")) })
        #expect(rows.map(\.changed) == [Int](repeating: 1, count: 100))
        let duplicate = failure {
            try connection.run([
                PostgresCommand(insert, .int(101), .text("new")), PostgresCommand(insert, .int(7), .null),
                PostgresCommand(insert, .int(102), .text("never")),
            ])
        }
        #expect(duplicate?.isDuplicate == true && duplicate?.constraint == "t_pkey")
        #expect(duplicate?.isConnectionLost == false)
        #expect(try connection.run(sql: "SELECT count(*) FROM t").int(0, 0) == 100)
        // A text with NUL, and a statement that does not parse: refused, and the connection goes on.
        #expect(failure { try connection.run(insert, .int(200), .text("a\0b")) }?.code == "22021")
        #expect(failure { try connection.run(sql: "SELEKT") }?.code == "42601")
        #expect(failure { try connection.run(sql: "SELECT nothing FROM t") }?.code == "42703")
        #expect(try connection.run(sql: "SELECT 1::int8").int(0, 0) == 1)
    }

    @Test func `A pipeline larger than both sides' buffers does not stand still`() throws {
        let connection = try connect()
        let text = String(repeating: "x", count: 40_000)
        let echo = PostgresStatement("SELECT $1 || 'y'", .text)
        let rows = try connection.run((0..<600).map { _ in PostgresCommand(echo, .text(text)) })
        #expect(rows.count == 600)
        #expect(rows.allSatisfy { $0.bytes(0, 0).count == 40_001 })
    }

    @Test func `A transaction ends with its closure`() throws {
        let connection = try connect()
        try connection.run(sql: "CREATE TEMPORARY TABLE t (k int8 PRIMARY KEY)")
        try connection.transaction { _ = try connection.run(sql: "INSERT INTO t VALUES (1)") }
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try connection.transaction {
                _ = try connection.run(sql: "INSERT INTO t VALUES (2)")
                throw Refusal()
            }
        }
        let failed = failure {
            try connection.transaction { _ = try connection.run(sql: "INSERT INTO t VALUES (3), (1)") }
        }
        #expect(failed?.isDuplicate == true)
        #expect(!connection.isInTransaction)
        #expect(try connection.run(sql: "SELECT count(*) FROM t").int(0, 0) == 1)
    }

    @Test func `Statements beyond the kept ones go, and come again`() throws {
        let connection = try connect()
        for number in 0..<1_200 {
            let statement = PostgresStatement("SELECT \(number)::int8 + $1", .int8)
            #expect(try connection.run(statement, .int(1)).int(0, 0) == Int64(number) + 1)
        }
        let kept = try connection.run(sql: "SELECT count(*) FROM pg_prepared_statements").int(0, 0)
        // The one that asks is over the limit until it has been answered.
        #expect(kept <= 501)
        #expect(try connection.run(PostgresStatement("SELECT 0::int8 + $1", .int8), .int(5)).int(0, 0) == 5)
    }

    @Test func `A server that goes away is told, and nothing can be asked any more`() throws {
        let connection = try connect()
        let other = try connect()
        let process = try connection.run(sql: "SELECT pg_backend_pid()").int(0, 0)
        try other.run(PostgresStatement("SELECT pg_terminate_backend($1::int)", .int8), .int(process))
        let lost = failure { while true { try connection.run(sql: "SELECT 1") } }
        #expect(lost?.isConnectionLost == true && lost?.isUnavailable == true)
        #expect(!connection.isOpen)
        #expect(failure { try connection.run(sql: "SELECT 1") }?.isConnectionLost == true)
    }

    @Test func `Who cannot be reached, and who is not let in, is told with a sentence`() throws {
        #expect(
            failure { _ = try PostgresConnection(url: "postgres://x@127.0.0.1:1/none") }?.isUnavailable
                == true)
        let unknown = try PostgresCluster.shared().url.replacingOccurrences(
            of: "/postgres?", with: "/nowhere?")
        #expect(failure { _ = try PostgresConnection(url: unknown) }?.message.contains("nowhere") == true)
        #expect(failure { _ = try PostgresConnection(url: "postgres://[") } != nil)
    }

    @Test func `Settings of the session hold, blanks in them as well`() throws {
        let connection = try connect(settings: ["stratus.note": "a b\\c", "statement_timeout": "50"])
        #expect(try connection.run(sql: "SHOW stratus.note").text(0, 0) == "a b\\c")
        #expect(failure { try connection.run(sql: "SELECT pg_sleep(5)") }?.isCancelled == true)
        #expect(try connection.run(sql: "SELECT 2::int8").int(0, 0) == 2)
    }
}
