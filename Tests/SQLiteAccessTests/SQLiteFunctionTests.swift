import Foundation
import SQLiteAccess
import Testing

@Suite struct SQLiteFunctionTests {
    private final class Joined: SQLiteAggregate {
        private var texts: [String] = []
        func add(_ arguments: SQLiteArguments) throws {
            guard let text = arguments.text(0) else { throw SQLiteFailure(code: 20, message: "no text") }
            texts.append(text)
        }
        func finish() -> SQLiteValue { .text(texts.joined(separator: "+")) }
    }

    private struct Refusal: Error, CustomStringConvertible {
        var description: String { "refused" }
    }

    @Test func `A function gets all kinds of values and gives them back`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        try connection.add(SQLiteFunction("same", 1) { $0.value(0) })
        try connection.add(
            SQLiteFunction("kinds", -1) { arguments in
                .text(
                    (0...arguments.count).map {
                        "\(arguments.int($0)) \(arguments.double($0) ?? -1) \(arguments.text($0) ?? "-")"
                    }
                    .joined(separator: ";"))
            })
        let values: [SQLiteValue] = [
            .null, .int(.max), .double(0.5), .text(""), .text("a\0b"), .blob(Data()), .blob(Data([0, 255])),
        ]
        for value in values { #expect(try connection.rows("SELECT same(?)", [value]) == [[value]]) }
        #expect(
            try connection.rows("SELECT kinds(1, 'x', 2.5)")
                == [[.text("1 1.0 -;0 -1.0 x;2 2.5 -;0 -1.0 -")]])
    }

    @Test func `What a function throws is the statement's error, with its code`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        try connection.add(
            SQLiteFunction("late", 0) { _ in throw SQLiteFailure(code: 9, message: "too late") })
        try connection.add(SQLiteFunction("refuse", 0) { _ in throw Refusal() })
        func failure(_ sql: String) -> SQLiteFailure? {
            do { _ = try connection.rows(sql) } catch { return error as? SQLiteFailure }
            return nil
        }
        #expect(failure("SELECT late()")?.name == "SQLITE_INTERRUPT")
        #expect(failure("SELECT refuse()")?.message == "refused")
        #expect(failure("SELECT joined('a')")?.name == "SQLITE_ERROR")
    }

    @Test func `An aggregate has one state for each group`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        try connection.add(aggregate: Joined.self, "joined", 1)
        let rows = try connection.rows(
            "SELECT column1, joined(column2) FROM (VALUES (1, 'x'), (2, 'y'), (1, 'z')) GROUP BY column1")
        #expect(rows == [[.int(1), .text("x+z")], [.int(2), .text("y")]])
        #expect(try connection.rows("SELECT joined(1) WHERE 0") == [[.null]])
        #expect(throws: SQLiteFailure.self) { try connection.rows("SELECT joined(1)") }
    }

    @Test func `A collation orders texts`() throws {
        let connection = try SQLiteConnection(path: ":memory:")
        try connection.add(collation: "backwards") { $0 == $1 ? 0 : $0 < $1 ? 1 : -1 }
        let rows = try connection.rows(
            "SELECT a FROM (SELECT 'a' AS a UNION ALL SELECT 'c' UNION ALL SELECT '' UNION ALL SELECT 'b') "
                + "ORDER BY a COLLATE backwards")
        #expect(rows == [[.text("c")], [.text("b")], [.text("a")], [.text("")]])
    }

    @Test func `Functions replace those of the same name and outlive none of their connections`() throws {
        final class Counter: @unchecked Sendable {}  // Nothing in it.
        weak var kept: Counter?
        do {
            let connection = try SQLiteConnection(path: ":memory:")
            let counter = Counter()
            kept = counter
            try connection.add(SQLiteFunction("f", 0) { _ in withExtendedLifetime(counter) { .int(1) } })
            #expect(try connection.number("SELECT f()") == 1)
            try connection.add(SQLiteFunction("f", 0) { _ in .int(2) })
            #expect(try connection.number("SELECT f()") == 2)
        }
        #expect(kept == nil)
    }
}
