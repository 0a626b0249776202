import RecordWire
import Testing

@testable import RecordImport
@testable import stratus

@Suite struct CSVReaderTests {
    private func rows(_ bytes: [UInt8], separator: UInt8 = 0x2C, cutting pieces: [Int] = []) -> [ImportRow] {
        var reader = CSVReader(separator: separator)
        var rows: [ImportRow] = []
        var start = 0
        for cut in pieces + [bytes.count] {
            reader.read(bytes[start..<cut], into: &rows)
            start = cut
        }
        reader.finish(into: &rows)
        return rows
    }

    private func cells(_ text: String, separator: UInt8 = 0x2C) -> [[String]] {
        rows(Array(text.utf8), separator: separator).compactMap {
            if case .cells(let cells) = $0.content { cells } else { nil }
        }
    }

    @Test(arguments: [
        ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
        ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]),
        ("a,b\r1,2\r", [["a", "b"], ["1", "2"]]),
        ("a,b\n1,2", [["a", "b"], ["1", "2"]]),
        ("\u{FEFF}a,b\n1,2", [["a", "b"], ["1", "2"]]),
        ("\"a,b\",c", [["a,b", "c"]]),
        ("\"say \"\"hi\"\"\",x", [["say \"hi\"", "x"]]),
        ("\"two\nlines\",x\ny,z", [["two\nlines", "x"], ["y", "z"]]),
        ("\"two\r\nlines\",x", [["two\r\nlines", "x"]]),
        (",,\n", [["", "", ""]]),
        ("\"\"\n", [[""]]),
        ("\n\na\n\n", [["a"]]),
        ("5\" pipe,x", [["5\" pipe", "x"]]),
        ("", []),
        ("é,日本,🙂", [["é", "日本", "🙂"]]),
        ("\"a\"", [["a"]]),
        ("a,\"\"", [["a", ""]]),
    ])
    func readsWhatIsMet(text: String, expected: [[String]]) {
        #expect(cells(text) == expected)
    }

    @Test func otherSeparators() {
        #expect(cells("a;b,c\n", separator: 0x3B) == [["a", "b,c"]])
        #expect(cells("a\tb\n", separator: 0x09) == [["a", "b"]])
    }

    @Test func brokenRowsAreNamedAndPassedOver() {
        let rows = rows(Array("a,b\n\"x\"y,2\n3,4\n".utf8))
        #expect(rows.map(\.line) == [1, 2, 3])
        #expect(rows[1].content == .malformed("Cell 1 goes on after its closing quote."))
        #expect(rows[2].content == .cells(["3", "4"]))
    }

    @Test func anOpenQuoteAtTheEndIsAnError() {
        let rows = rows(Array("a\n\"open\nfor ever".utf8))
        #expect(rows.count == 2)
        #expect(rows.last?.line == 2)
        #expect(rows.last?.content == .malformed("The quote that opens a cell is never closed."))
    }

    @Test func invalidTextIsAnError() {
        #expect(rows([0x61, 0x2C, 0xFF, 0x0A]).first?.content == .malformed("Cell 2 is not valid UTF-8."))
    }

    @Test func linesAndPlacesAreThoseOfTheFile() {
        let text = "h\r\n\"a\nb\"\r\n\r\nc\r\n"
        let rows = rows(Array(text.utf8))
        #expect(rows.map(\.line) == [1, 2, 5])
        #expect(rows.map(\.end) == [3, 10, 15])
        #expect(rows.map(\.nextLine) == [2, 4, 6])
    }

    static let law = [
        "\u{FEFF}a,b\r\n\"x \"\"q\"\"\r\ny\",é🙂\r\n\r\n\"bad\"z,1\r\n3,4", "a\r\rb\n\n\"\"\n,\n", "\"open",
        "\u{FEFF}", "日本,\"语\n\"\r\n",
    ]

    /// However the bytes are cut into three pieces, the rows are the same.
    @Test(arguments: law) func everySplitGivesTheSameRows(text: String) {
        let bytes = Array(text.utf8)
        let whole = rows(bytes)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                #expect(rows(bytes, cutting: [first, second]) == whole, "cut at \(first) and \(second)")
            }
        }
        #expect(rows(bytes, cutting: Array(0..<bytes.count)) == whole)
    }

    /// Reading on behind any row gives the rows that follow, with their lines and places.
    @Test(arguments: law) func readingGoesOnBehindAnyRow(text: String) {
        let bytes = Array(text.utf8)
        let whole = rows(bytes)
        for (index, row) in whole.enumerated() {
            var reader = CSVReader(offset: row.end, line: row.nextLine)
            var rest: [ImportRow] = []
            reader.read(bytes[Int(row.end)...], into: &rest)
            reader.finish(into: &rest)
            #expect(rest == Array(whole[(index + 1)...]))
        }
    }
}

@Suite struct JSONLinesReaderTests {
    private let text = "\u{FEFF}{\"a\":1}\r\n\n  \n[1]\n{\"b\":\n{\"c\":\"é\"}"

    private func rows(cutting pieces: [Int] = []) -> [ImportRow] {
        let bytes = Array(text.utf8)
        var reader = JSONLinesReader()
        var rows: [ImportRow] = []
        var start = 0
        for cut in pieces + [bytes.count] {
            reader.read(bytes[start..<cut], into: &rows)
            start = cut
        }
        reader.finish(into: &rows)
        return rows
    }

    @Test func readsObjectsAndNamesTheRest() throws {
        let rows = rows()
        #expect(rows.map(\.line) == [1, 4, 5, 6])
        guard case .object(let object) = rows[0].content else { throw RowError("no object") }
        #expect(object["a"]?.int == 1)
        #expect(rows[1].content == .malformed("The line is JSON, but not an object."))
        guard case .malformed = rows[2].content else { throw RowError("no error") }
        #expect(rows.last?.end == Int64(text.utf8.count))
    }

    @Test func everySplitGivesTheSameRows() {
        let whole = rows()
        for first in 0...text.utf8.count {
            for second in first...text.utf8.count { #expect(rows(cutting: [first, second]) == whole) }
        }
    }
}
