import SQLiteAccess
import TestSupport
import Testing

@Suite struct SQLQuotesTests {
    private static let pieces = ["'", "\"", "''", "\u{301}", "\u{600}", "\\", "a", "é", " -- ", ";"]

    @Test(arguments: Seed.some(100))
    func `SQLite reads every name and text back`(_ seed: Seed) throws {
        var random = seed.random
        let text = (0..<Int.random(in: 1...8, using: &random))
            .map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
        let connection = try SQLiteConnection(path: ":memory:")
        let row = try connection.makeStatement(
            "SELECT \(SQLQuotes.literal(text)) AS \(SQLQuotes.identifier(text))")
        #expect(try row.step())
        #expect(Array(row.columnName(0).utf8) == Array(text.utf8))
        #expect(Array(row.text(0).utf8) == Array(text.utf8))
    }
}
