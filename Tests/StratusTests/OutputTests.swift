import Foundation
import Predicates
import RecordWire
import TestSeeds
import Testing

@testable import stratus

@Suite struct OutputTests {
    @Test(arguments: [
        ("abc", 3), ("日本", 4), ("é", 1), ("e\u{301}", 1), ("🙂", 2), ("👨‍👩‍👧", 2), ("한글", 4), ("ｱ", 1), ("Ａ", 2),
        ("", 0),
        ("❤️", 2), ("مرحبا", 5),
    ])
    func widths(text: String, width: Int) { #expect(TextWidth.of(text) == width) }

    @Test func cutsBetweenCharacters() {
        #expect(TextWidth.truncate("abcdef", to: 4) == "abc…")
        #expect(TextWidth.truncate("日本語", to: 5) == "日本…")
        #expect(TextWidth.truncate("日本語", to: 4) == "日…")
        #expect(TextWidth.truncate("abc", to: 3) == "abc")
        for width in 0..<12 { #expect(TextWidth.of(TextWidth.truncate("a日b本c語🙂", to: width)) <= width) }
    }

    private let columns = [
        Table.Column(title: "name"), Table.Column(title: "n", isNumber: true), Table.Column(title: "text"),
    ]

    @Test func columnsStandBelowEachOther() {
        let text = Table.text(columns, rows: [["Ada", "7", "x"], ["日本", "12", "y"]], width: nil)
        #expect(text == "name   n  text\nAda    7  x\n日本  12  y")
    }

    @Test func tablesFitTheTerminal() {
        let rows = [
            ["Ada", "7", String(repeating: "long ", count: 40)],
            [String(repeating: "語", count: 30), "1", "x"],
        ]
        for width in 24...120 {
            for line in Table.text(columns, rows: rows, width: width).split(separator: "\n") {
                #expect(TextWidth.of(String(line)) <= width)
            }
        }
    }

    @Test func cellsStayOnTheirLine() {
        let text = Table.text([.init(title: "a")], rows: [["x\ny\u{1B}[2J\tz"]], width: nil)
        #expect(text == "a\nx y\\u{1b}[2J z")
    }

    @Test func `What other people's files hold does nothing to a terminal, and goes into a file as it is`() {
        let odd = "\u{1B}]0;title\u{7} \u{9B}2J \u{202E}tfel\nsecond\tline"
        for isTerminal in [true, false] {
            let memory = MemoryConsole()
            let console = memory.console(isTerminal: isTerminal)
            console.line(odd)
            console.note(odd)
            let harmless = "\\u{1b}]0;title\\u{7} \\u{9b}2J \\u{202e}tfel\nsecond\tline\n"
            #expect(memory.output == (isTerminal ? harmless : odd + "\n"))
            #expect(memory.error == (isTerminal ? harmless : odd + "\n"))
        }
        let memory = MemoryConsole()
        memory.console(isTerminal: true).show(progress: "1 of 2: \u{1B}[2J")
        #expect(memory.error == "\r\u{1B}[K1 of 2: \\u{1b}[2J")
    }

    @Test func numbersAreGrouped() {
        #expect(Format.grouped(1_234_567) == "1,234,567")
        #expect(Format.grouped(-999) == "-999")
        #expect(Format.grouped(1_000) == "1,000")
        #expect(Format.bytes(1_536) == "1.5 KiB")
        #expect(Format.seconds(3_725) == "1 h 2 min")
    }

    @Test func progressTellsRateAndRest() {
        let line = ProgressLine("Filling", console: MemoryConsole().console())
        let text = line.text(.init(done: 480, total: 1_000, records: 9_600), elapsed: .seconds(2))
        #expect(text == "Filling… 48 %, 4,800 records/s, 3 s left")
    }

    @Test func progressIsSilentForShortWork() {
        let memory = MemoryConsole()
        let line = ProgressLine("x", console: memory.console(isTerminal: true))
        line.update(.init(done: 1, total: 2, records: 1))
        line.finish()
        #expect(memory.error.isEmpty)
    }

    @Test func recordsBecomeRows() throws {
        let json = """
            {"recordName":"p1","fields":{"name":{"value":"Ada","type":"STRING"},"level":{"value":7,"type":"INT64"},\
            "at":{"value":0,"type":"TIMESTAMP"},"to":{"value":{"recordName":"q"},"type":"REFERENCE"},\
            "tags":{"value":["a","b"],"type":"STRING_LIST"},"home":{"value":{"latitude":1,"longitude":2.5},"type":"LOCATION"}}}
            """
        let record = try #require(try JSONReader.read(Array(json.utf8)).object)
        let cells = TableCells(fields: nil, records: [record])
        #expect(cells.columns.map(\.title) == ["recordName", "name", "level", "at", "to", "tags", "home"])
        #expect(cells.row(record) == ["p1", "Ada", "7", "1970-01-01T00:00:00Z", "→ q", "a; b", "1.0, 2.5"])
        #expect(TableCells(fields: ["level", "missing"], records: [record]).row(record) == ["p1", "7", ""])
    }

    @Test func sortKeysAreRead() throws {
        let keys = try SortArgument.keys("-rating, name,createdTimestamp")
        #expect(keys.map(\.ascending) == [false, true, true])
        #expect(keys.map(\.selector) == [.field("rating"), .field("name"), .system(.createdTimestamp)])
        #expect(throws: Failure.self) { try SortArgument.keys("-") }
    }
}

@Suite struct PredicateLineTests {
    @Test(arguments: [
        ("name == 'x'", "name == 'x'"), ("\"name == \\\"x\\\"\"", "name == \"x\""),
        ("\"a\" == \"b\"", "\"a\" == \"b\""),
        ("  \"a\\u{e9}\"  ", "aé"), ("#\"a == \"b\"\"#", "a == \"b\""),
        ("\"\\(x.y(1)) == 2\"", "interpolated == 2"),
    ])
    func linesAreRead(line: String, format: String) { #expect(PredicateLine(line)?.format == format) }

    @Test func blanksAndCommentsAreNone() {
        #expect(PredicateLine("  ") == nil)
        #expect(PredicateLine("// a") == nil)
        #expect(PredicateLine("\"\\q\"")?.format == nil)
    }

    @Test func filesOfAFolderThatAreNoTextArePassedOver() throws {
        let directory = try TemporaryDirectory()
        _ = try directory.file("good.txt", "a == 1\n")
        let bad = directory.path + "/bad.bin"
        try Data([0xFF, 0xFE, 0x00]).write(to: URL(fileURLWithPath: bad))
        var checker = PredicateChecker()
        try checker.check(path: directory.path)
        #expect(checker.total == 1 && checker.passedOver == [bad])
        #expect(throws: Failure.self) { try checker.check(path: bad) }
    }

    @Test func aFieldThatNoRecordHasIsNamed() throws {
        let memory = MemoryConsole()
        var printer = QueryPrinter(
            fields: ["name", "nope", "___createTime"], json: true, console: memory.console())
        let record = try #require(
            try JSONReader.read(Array(#"{"fields":{"name":{"value":"x"}}}"#.utf8)).object)
        printer.add(.init(records: [record], marker: nil))
        printer.finish(next: nil)
        #expect(memory.error == "None of these records has the field 'nope'.\n")
    }

    @Test func mistakesHaveTheirLine() {
        var checker = PredicateChecker()
        checker.check(text: "a == 1\n\nb ==\n\"c CONTANS 'x'\"\n", path: "f")
        #expect(checker.total == 3)
        #expect(checker.problems.map(\.line) == [3, 4])
        #expect(checker.problems.last?.error?.caret.contains("^") == true)
    }
}
