import GRDB
import SQLiteStatements
import TestSupport
import Testing

@Suite struct SQLQuotesTests {
    private static let pieces = ["'", "\"", "''", "\u{301}", "\u{600}", "\\", "a", "é", " -- ", ";"]

    @Test(arguments: Seed.some(100))
    func `SQLite reads every name and text back`(_ seed: Seed) throws {
        var random = seed.random
        let text = (0..<Int.random(in: 1...8, using: &random))
            .map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
        let queue = try DatabaseQueue()
        let row = try #require(
            try queue.read {
                try Row.fetchOne(
                    $0, sql: "SELECT \(SQLQuotes.literal(text)) AS \(SQLQuotes.identifier(text))")
            })
        #expect(row.columnNames.map { Array($0.utf8) } == [Array(text.utf8)])
        let value: String? = row[0]
        #expect(value.map { Array($0.utf8) } == Array(text.utf8))
    }
}
