import RecordModel
import RecordWire
import TestSeeds
import Testing

@testable import RecordImport
@testable import stratus

@Suite struct CoercionTests {
    @Test(arguments: [
        ("7", "INT64", FieldValue.int64(7)), (" -3 ", "INT64", .int64(-3)), ("true", "INT64", .int64(1)),
        ("No", "INT64", .int64(0)), ("4", "DOUBLE", .double(4)), ("1e3", "DOUBLE", .double(1_000)),
        (" kept ", "STRING", .string(" kept ")), ("1000", "TIMESTAMP", .timestamp(1_000)),
        ("1970-01-02", "TIMESTAMP", .timestamp(86_400_000)), ("aGk=", "BYTES", .bytes([0x68, 0x69])),
        ("r1", "REFERENCE", .reference(Reference(recordName: "r1"))),
        ("52.5, 13.4", "LOCATION", .location(Location(latitude: 52.5, longitude: 13.4))),
        ("a; b;c", "LIST<STRING>", .list([.string("a"), .string("b"), .string("c")], of: .string)),
        ("1;2", "INT64_LIST", .list([.int64(1), .int64(2)], of: .int64)),
    ])
    func cellsBecomeValues(cell: String, type: String, expected: FieldValue) throws {
        let rule = try #require(FieldRule(argument: "f:" + type))
        #expect(try ValueCoercion.value(cell, as: rule.type) == expected)
    }

    @Test(arguments: [
        ("7.5", "INT64"), ("nan", "DOUBLE"), ("inf", "DOUBLE"), ("yesterday", "TIMESTAMP"),
        ("2024-02-30", "TIMESTAMP"),
        ("é", "BYTES"), ("_x", "REFERENCE"), ("91,0", "LOCATION"), ("5", "LOCATION"), ("1;x", "LIST<INT64>"),
        ("9223372036854775808", "INT64"), ("9007199254740993", "DOUBLE"), ("18446744073709551615", "DOUBLE"),
        ("0x10", "DOUBLE"), ("1e-400", "DOUBLE"), ("9007199254740993;1", "LIST<DOUBLE>"),
        ("0x10,0", "LOCATION"),
    ])
    func othersAreRefused(cell: String, type: String) throws {
        let rule = try #require(FieldRule(argument: "f:" + type))
        #expect(throws: RowError.self) { try ValueCoercion.value(cell, as: rule.type) }
    }

    @Test func whatADoubleKeepsIsTaken() throws {
        for (cell, value) in [
            ("9007199254740992", 9_007_199_254_740_992), ("100000000000000000000", 1e20), ("1.50", 1.5),
            ("52.5200065999999987", 52.5200065999999987), ("-0", -0.0), ("1E5", 100_000),
        ] as [(String, Double)] {
            #expect(try ValueCoercion.value(cell, as: FieldType(.double)) == .double(value))
        }
    }

    @Test(arguments: [
        "9223372036854775808", "-9223372036854775809", "18446744073709551615", "[1,18446744073709551615]",
    ])
    func linesOfJSONRefuseWholeNumbersBeyond64Bits(number: String) throws {
        var rows: [ImportRow] = []
        var reader = JSONLinesReader()
        reader.read(
            Array("{\"id\":\(number)}\n{\"id\":9223372036854775807}\n{\"id\":1E5}\n".utf8), into: &rows)
        #expect(rows.count == 3)
        guard case .malformed(let reason)? = rows.first?.content else {
            Issue.record("The line was taken: \(rows)")
            return
        }
        #expect(reason.contains("beyond 64 bits"))
        #expect(throws: RowError.self) {
            try ValueCoercion.value(.int(9_007_199_254_740_993), as: FieldType(.double))
        }
    }

    @Test func rulesAreRead() {
        #expect(FieldRule(argument: "a:b:double")?.name == "a:b")
        #expect(FieldRule(argument: "a:ASSET") == nil)
        #expect(FieldRule(argument: "a:NUMBER") == nil)
        #expect(FieldRule(argument: ":INT64") == nil)
        #expect(LocationRule(argument: "home=lat,lon")?.longitude == "lon")
        #expect(LocationRule(argument: "home=lat") == nil)
        #expect(RenameRule(argument: "First name=firstName")?.field == "firstName")
        #expect(Lifetime(argument: "30d")?.milliseconds == 2_592_000_000)
        #expect(Lifetime(argument: "0d") == nil)
        #expect(Lifetime(argument: "99999999999999999d") == nil)
    }

    @Test(arguments: [
        ("7", ColumnShape.integer), ("-7", .integer), ("007", .text), ("+7", .text), ("1.5", .number),
        ("0.5", .number),
        ("1e5", .text), ("1E5", .text), ("2E3", .text), ("1e+05", .number), ("1e-07", .number),
        ("1.5e5", .number),
        ("9223372036854775807", .longInteger), ("9007199254740992", .integer),
        ("9007199254740993", .longInteger),
        ("9223372036854775808", .text), ("18446744073709551615", .text), ("-9223372036854775809", .text),
        ("-9223372036854775808", .integer), ("12345678901234567.89", .text), ("52.5200065999999987", .number),
        ("0x10", .text), ("nan", .text), ("inf", .text), ("1,234", .text), ("1e-400", .text),
        ("1e+400", .text),
        ("-0", .number), ("01.5", .text), ("1.2.3", .text), ("", .empty), ("2024-01-01T00:00:00Z", .time),
        ("2024-01-01", .text), ("2024-01-01T00:00:00+02:00", .time), ("99999999999999999999", .text),
        ("-", .text),
    ])
    func shapesAreTold(cell: String, shape: ColumnShape) { #expect(ColumnShape(cell) == shape) }

    @Test func shapesJoin() {
        #expect(ColumnShape.integer.joined(with: .number) == .number)
        #expect(ColumnShape.empty.joined(with: .time) == .time)
        #expect(ColumnShape.integer.joined(with: .time) == .text)
        #expect(ColumnShape.longInteger.joined(with: .integer) == .longInteger)
        // Neither type keeps both.
        #expect(ColumnShape.longInteger.joined(with: .number) == .text)
    }

    @Test func headingsAreChecked() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.file("p.csv", "First name,lat,lon\nAda,1,2\n")
        let file = try InputFile(path: path, kind: .csv(separator: 0x2C))
        func mapping(_ rules: ImportMapping.Rules) throws -> ImportMapping {
            try ImportMapping(recordType: "P", rules: rules, file: file, sample: file.sample())
        }
        let failure = #expect(throws: Failure.self) { try mapping(.init()) }
        #expect(failure?.remedy?.contains("--rename 'First name=firstName'") == true)
        #expect(throws: Failure.self) { try mapping(.init(nameField: "id")) }
        var rules = ImportMapping.Rules()
        rules.renames = [RenameRule(argument: "First name=name")].compactMap { $0 }
        rules.locations = [LocationRule(argument: "home=lat,lon")].compactMap { $0 }
        let record = try mapping(rules).record(try #require(file.sample().last))
        #expect(record.fields.map(\.name) == ["name", "home"])
        #expect(record.recordName?.hasSuffix("-0000000002") == true)
    }
}

@Suite struct ISOTimeTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00.5Z", 951_825_600_500),
        ("1969-12-31T23:59:59Z", -1_000),
        ("2024-06-01T10:00:00+02:00", 1_717_228_800_000), ("2024-06-01 08:00", 1_717_228_800_000),
        ("2024-06-01T08:00:00-0000", 1_717_228_800_000), ("0001-01-01", -62_135_596_800_000),
    ])
    func reads(text: String, expected: Int64) { #expect(ISOTime.milliseconds(text) == expected) }

    @Test(arguments: [
        "", "2024", "2024-13-01", "2023-02-29", "2024-01-01T25:00Z", "2024-01-01Tx", "2024-01-01T00:00:00+2",
    ])
    func refuses(text: String) { #expect(ISOTime.milliseconds(text) == nil) }

    @Test func writesWhatItReads() {
        var random = Seed.one.random
        for _ in 0..<2_000 {
            let value = Int64.random(in: -62_135_596_800_000...253_402_300_799_999, using: &random)
            #expect(ISOTime.milliseconds(ISOTime.text(value)) == value)
        }
    }

    /// A record may hold any number as its date.
    @Test(arguments: [
        (Int64.min, "-292275055-05-16T16:47:04.192Z"), (Int64.max, "292278994-08-17T07:12:55.807Z"),
        (-1, "1969-12-31T23:59:59.999Z"), (-86_400_000, "1969-12-31T00:00:00Z"),
    ])
    func writesEveryNumber(value: Int64, expected: String) { #expect(ISOTime.text(value) == expected) }

    @Test(arguments: [
        (253_402_300_800_000, "10000-01-01T00:00:00Z"), (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z"),
        (8_640_000_000_000_001, "275760-09-13T00:00:00.001Z"),
    ])
    func yearsOfMoreDigitsAreReadAsWritten(milliseconds: Int64, text: String) {
        #expect(ISOTime.text(milliseconds) == text)
        #expect(ISOTime.milliseconds(text) == milliseconds)
        #expect(ColumnShape(text) == .time)
    }

    /// A client may save any of them, and one page of the console would end the server for all.
    @Test func noMomentEndsTheProcess() {
        for value in [Int64.min, .max, .min + 1, .max - 1] {
            #expect(ISOTime.milliseconds(ISOTime.text(value)) == value)
        }
        #expect(ISOTime.milliseconds("999999999-12-31T23:59:59Z") == nil)
        #expect(ISOTime.milliseconds("-999999999-01-01") == nil)
        #expect(ISOTime.milliseconds("9999999999-01-01") == nil)
        var random = Seed.one.random
        for _ in 0..<2_000 {
            // Not the last day on either side, whose midnight lies beyond.
            let value = Int64.random(in: .min + 86_400_000 ... .max - 86_400_000, using: &random)
            #expect(ISOTime.milliseconds(ISOTime.text(value)) == value)
        }
    }
}
