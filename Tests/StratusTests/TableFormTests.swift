import Foundation
import RecordImport
import RecordModel
import RecordWire
import TestSeeds
import Testing

@testable import stratus

/// Tables as spreadsheets of many countries save them.
@Suite struct TableFormTests {
    private static let german = "Name;Größe;Preis\r\nMüller – „A“;1,5;1.234,50 \r\nÖ;0,25;3\r\n"

    private static func file(_ bytes: [UInt8], _ directory: TemporaryDirectory) throws -> InputFile {
        let path = directory.path + "/table.csv"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return try InputFile(
            path: path, kind: InputFile.kind(of: path, format: nil, separator: nil), findsSeparator: true)
    }

    private static let encodings: [(TextEncoding, String.Encoding)] = [
        (.utf8, .utf8), (.windows1252, .windowsCP1252), (.utf16, .utf16),
    ]

    @Test(arguments: 0..<3)
    func `A table is the same in each encoding`(_ number: Int) async throws {
        let (encoding, foundation) = Self.encodings[number]
        let directory = try TemporaryDirectory()
        let data = try #require(Self.german.data(using: foundation))
        let file = try Self.file(Array(data), directory)
        #expect(file.encoding == encoding)
        #expect(file.kind == .csv(separator: UInt8(ascii: ";")))
        let sample = try file.sample()
        #expect(sample.first?.content == .cells(["Name", "Größe", "Preis"]))
        guard case .cells(let cells)? = sample.dropFirst().first?.content else {
            Issue.record("The first row cannot be read.")
            return
        }
        #expect(cells == ["Müller – „A“", "1,5", "1.234,50 "])
    }

    @Test func `Numbers with a decimal comma are numbers where the file has them`() throws {
        let directory = try TemporaryDirectory()
        let text = "name;size;price;code\nA;1,5;1.234,50;1.5.2\nB;0,25;3;2\n"
        let file = try Self.file(Array(text.utf8), directory)
        let sample = try file.sample()
        #expect(DecimalComma.isUsed(in: sample))
        let mapping = try ImportMapping(
            recordType: "T", rules: .init(hasDecimalComma: true), file: file, sample: sample)
        #expect(mapping.summary.map { $0.type } == ["STRING", "DOUBLE", "DOUBLE", "STRING"])
        let record = try mapping.record(sample[1])
        #expect(
            record.fields.map { $0.field.value } == [
                .string("A"), .double(1.5), .double(1234.5), .string("1.5.2"),
            ])
        #expect(DecimalComma.point("1.234") == "1234" && DecimalComma.point("-0,5") == "-0.5")
        for text in ["", "1", "1.5", "1.23,4", "1,", ",5", "1,5,2", "1.234.5", "a,5"] {
            #expect(DecimalComma.point(text) == nil, "\(text)")
        }
        let points = try Self.file(Array("a;b\n1,5;1.5\n".utf8), directory)
        #expect(!DecimalComma.isUsed(in: try points.sample()))
    }

    @Test func `A converter takes pieces of any size, and what is not a character`() {
        let text = "aö€😀\u{FEFF}z"
        for big in [true, false] {
            var bytes: [UInt8] = big ? [0xFE, 0xFF] : [0xFF, 0xFE]
            for unit in text.utf16 {
                let pair = [UInt8(unit >> 8), UInt8(unit & 255)]
                bytes += big ? pair : pair.reversed()
            }
            for size in 1...bytes.count {
                var converter = TextConverter(.utf16)
                var result: [UInt8] = []
                for start in stride(from: 0, to: bytes.count, by: size) {
                    result += converter.convert(bytes[start..<min(start + size, bytes.count)])
                }
                #expect(String(decoding: result, as: UTF8.self) == text)
            }
        }
        var latin = TextConverter(.windows1252)
        #expect(String(decoding: latin.convert([0x80, 0xE9, 0x9F, 0x41]), as: UTF8.self) == "€éŸA")
        #expect(TextEncoding.detect(in: Array("aé".utf8.dropLast())) == .utf8)
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian])
    func `UTF-16 without a mark is known by its zeros`(_ foundation: String.Encoding) throws {
        let directory = try TemporaryDirectory()
        let data = try #require(Self.german.data(using: foundation))
        let file = try Self.file(Array(data), directory)
        #expect(file.encoding == .utf16)
        #expect(try file.sample().first?.content == .cells(["Name", "Größe", "Preis"]))
        #expect(TextEncoding.detect(in: []) == .utf8)
        #expect(TextEncoding.detect(in: Array("a;b".utf8)) == .utf8)
    }

    @Test func `A spreadsheet is refused by what is in it, whatever its name`() throws {
        let directory = try TemporaryDirectory()
        for head: [UInt8] in [
            [0x50, 0x4B, 3, 4, 20, 0, 6, 0, 8], [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1, 0],
        ] {
            let error = #expect(throws: Failure.self) { try Self.file(head, directory) }
            #expect(error?.remedy?.contains("save the sheet as CSV") == true)
        }
        #expect(try Self.file(Array("PK;a\n1;2\n".utf8), directory).encoding == .utf8)
    }

    @Test(arguments: ["xlsx", "xls", "ods", "numbers"])
    func `A spreadsheet is refused by its name`(_ ending: String) throws {
        #expect(throws: Failure.self) {
            try InputFile.kind(of: "table.\(ending)", format: nil, separator: nil)
        }
    }

    @Test func `All columns that cannot be fields are named at once, with names that can`() throws {
        let directory = try TemporaryDirectory()
        let file = try Self.file(Array("Größe;Name;Année de création;№\n1;a;2;3\n".utf8), directory)
        let error = #expect(throws: Failure.self) {
            try ImportMapping(recordType: "T", rules: .init(), file: file, sample: file.sample())
        }
        #expect(
            error?.remedy?.contains(
                "--rename 'Größe=groesse' --rename 'Année de création=anneeDeCreation' --rename '№=field'")
                == true, "\(error?.remedy ?? "")")
    }
}
