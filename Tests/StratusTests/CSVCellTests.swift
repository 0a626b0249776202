import RecordModel
import RecordWire
import TestSeeds
import Testing

@testable import RecordImport

@Suite struct CSVCellTests {
    /// What a cell comes back as, through a file and its reader.
    private func read(_ cell: String, as type: FieldType) throws -> FieldValue {
        var reader = CSVReader()
        var rows: [ImportRow] = []
        reader.read(CSVCell.row(["first", "second"]) + CSVCell.row([cell, "next"]), into: &rows)
        reader.finish(into: &rows)
        guard case .cells(let cells)? = rows.last?.content, let text = cells.first, rows.count == 2,
            cells.count == 2
        else {
            throw RowError("The cell is no cell.")
        }
        return try CSVCell.value(CSVCell.unguarded(text), as: type)
    }

    @Test func `Every value comes back as it was`() throws {
        var random = Seed.one.random
        for _ in 0..<4_000 {
            let value = RandomValue.make(&random)
            let cell = CSVCell.text(value)
            let back = try read(cell, as: try #require(value.type))
            #expect(back == value, "\(value) as \(cell)")
            #expect(!cell.isEmpty, "An empty cell is no value: \(value)")
        }
    }

    @Test(arguments: [
        ("a;b", "STRING_LIST", FieldValue.list([.string("a"), .string("b")], of: .string)),
        (#"["a;b","c"]"#, "STRING_LIST", .list([.string("a;b"), .string("c")], of: .string)),
        ("[]", "STRING_LIST", .list([], of: .string)),
        ("[1]", "STRING_LIST", .list([.string("[1]")], of: .string)),
        ("[not json;b", "STRING_LIST", .list([.string("[not json"), .string("b")], of: .string)),
        (#"["a"]"#, "STRING", .string(#"["a"]"#)), (#""a""#, "STRING", .string(#""a""#)),
        (
            #"{"recordName":"p","action":"VALIDATE"}"#, "REFERENCE",
            .reference(Reference(recordName: "p", action: .validate))
        ),
        ("{p}", "REFERENCE", .reference(Reference(recordName: "{p}"))),
        ("'=1", "STRING", .string("=1")), ("'", "STRING", .string("")), ("'tis", "STRING", .string("'tis")),
        ("-5", "INT64", .int64(-5)), ("'-5", "STRING", .string("-5")),
    ])
    func cellsAreRead(cell: String, tag: String, expected: FieldValue) throws {
        #expect(try read(cell, as: try #require(FieldType(tag: tag))) == expected)
    }

    @Test(arguments: [
        (FieldValue.string(#"=HYPERLINK("http://evil","x")"#), #"'=HYPERLINK("http://evil","x")"#),
        (.string("+1"), "'+1"), (.string("-1"), "'-1"), (.string("@x"), "'@x"), (.string("\tx"), "'\tx"),
        (.string("\r\nx"), "'\r\nx"), (.string(""), "'"), (.string("'=x"), "''=x"), (.string("'x"), "'x"),
        (.int64(-5), "-5"), (.double(-0.5), "-0.5"), (.double(4), "4.0"),
        (.list([.string("=x"), .string("y")], of: .string), "'=x;y"),
        (.reference(Reference(recordName: "=x")), "'=x"),
        (.location(Location(latitude: -1.5, longitude: 2)), "-1.5,2.0"),
        (.list([.string("a;b"), .string("c")], of: .string), #"["a;b","c"]"#),
        (.timestamp(253_402_300_800_000), "10000-01-01T00:00:00Z"),
        (.timestamp(.max), "292278994-08-17T07:12:55.807Z"),
        (.timestamp(.min), "-292275055-05-16T16:47:04.192Z"),
    ])
    func formulasAreText(value: FieldValue, cell: String) { #expect(CSVCell.text(value) == cell) }

    @Test func `A line beyond all files is counted no further`() {
        for line in [Int.max, Int.min, 0] {
            var rows: [ImportRow] = []
            var csv = CSVReader(line: line)
            csv.read("a\n\nb\n".utf8, into: &rows)
            var lines = JSONLinesReader(line: line)
            lines.read("{}\n\n{}\n".utf8, into: &rows)
            #expect(rows.count == 4)
        }
    }

    @Test func `Only the beginning of a file can have a byte order mark`() {
        for (line, text) in [(1, "a"), (2, "\u{FEFF}a")] {
            var rows: [ImportRow] = []
            var reader = CSVReader(line: line)
            reader.read("\u{FEFF}a,b\n".utf8, into: &rows)
            #expect(rows.map(\.content) == [.cells([text, "b"])])
        }
    }
}

/// Values of all types that can stand in a cell, full of what is hard to write.
enum RandomValue {
    static func make(_ random: inout some RandomNumberGenerator) -> FieldValue {
        let scalar =
            FieldType.Scalar.allCases.filter { $0 != .asset }.randomElement(using: &random) ?? .string
        guard Bool.random(using: &random) else { return one(scalar, &random) }
        return .list(
            (0..<Int.random(in: 0...3, using: &random)).map { _ in one(scalar, &random) }, of: scalar)
    }

    private static func one(_ scalar: FieldType.Scalar, _ random: inout some RandomNumberGenerator)
        -> FieldValue
    {
        switch scalar {
        case .string: .string(text(&random))
        case .int64:
            .int64(
                [.min, .max, 0, -5, .random(in: .min ... .max, using: &random)].randomElement(using: &random)
                    ?? 0)
        case .double:
            .double(
                [-0.5, 4, 1e300, .leastNonzeroMagnitude, .random(in: -1e6...1e6, using: &random)]
                    .randomElement(
                        using: &random) ?? 0)
        case .timestamp:
            .timestamp(
                [
                    .min, .max, -1, 253_402_300_800_000, 8_640_000_000_000_001,
                    .random(in: .min ... .max, using: &random),
                ]
                .randomElement(using: &random) ?? 0)
        case .bytes:
            .bytes(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in .random(in: 0...255, using: &random) })
        case .reference: .reference(reference(&random))
        case .location: .location(place(&random))
        case .asset: .string("")
        }
    }

    private static func text(_ random: inout some RandomNumberGenerator) -> String {
        let parts = [
            "a", " ", ";", ",", "\"", "'", "=", "+", "-", "@", "\t", "\r", "\n", "[", "]", "{", "}", "☃", "1",
            "null",
            "\u{301}", "\u{600}", "\\", "\u{FEFF}",
        ]
        return (0..<Int.random(in: 0...5, using: &random)).map { _ in
            parts.randomElement(using: &random) ?? ""
        }
        .joined()
    }

    private static func reference(_ random: inout some RandomNumberGenerator) -> Reference {
        let names = ["r1", "=x", " r ", "a;b", "{\"recordName\":\"x\"}", "..", "-5", "'", "[\"a\"]"]
        let actions: [Reference.Action] = [.none, .deleteSelf, .validate]
        return Reference(
            recordName: names.randomElement(using: &random) ?? "r",
            zoneID: Int.random(in: 0..<4, using: &random) == 0 ? ZoneID(zoneName: "Z") : nil,
            action: actions.randomElement(using: &random) ?? .none)
    }

    private static func place(_ random: inout some RandomNumberGenerator) -> Location {
        var place = Location(
            latitude: .random(in: -90...90, using: &random),
            longitude: .random(in: -180...180, using: &random))
        if Bool.random(using: &random) { place.altitude = .random(in: -100...9_000, using: &random) }
        if Bool.random(using: &random) { place.timestamp = .random(in: .min ... .max, using: &random) }
        return place
    }
}
