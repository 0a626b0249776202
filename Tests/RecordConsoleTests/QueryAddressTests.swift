import Foundation
import Predicates
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordConsole

/// The address of a list, the request that it means, and the code that says the same.
@Suite struct QueryAddressTests {
    private static let letters = Array("ab&=+%?#/\\\"' <>\u{0}\n\r\té☃;,{}")

    private static func text(_ random: inout Random) -> String {
        String(
            (0..<Int.random(in: 0...8, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? "x"
            })
    }

    @Test(arguments: Seed.some(1))
    func `An address says all that it was made of`(seed: Seed) throws {
        var random = seed.random
        for _ in 0..<300 {
            var address = RecordsAddress()
            address.owner =
                Bool.random(using: &random) ? nil : "_" + String(Int.random(in: 0...99, using: &random))
            address.zone = Bool.random(using: &random) ? ZoneID.defaultName : "Z" + Self.text(&random)
            address.type = "Note"
            address.filters = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                RecordsAddress.Filter(
                    field: "f" + Self.text(&random),
                    comparator: FilterComparator.allCases.randomElement(using: &random) ?? .compares(.equals),
                    value: Self.text(&random))
            }
            address.sorts = (0..<Int.random(in: 0...2, using: &random)).map { _ in
                RecordsAddress.Sort(field: "s" + Self.text(&random), ascending: .random(using: &random))
            }
            address.predicate = Self.text(&random).trimmingCharacters(in: .whitespacesAndNewlines)
            address.limit = RecordsAddress.limits.randomElement(using: &random) ?? 100
            address.page =
                [.first, .last, .after("m+/="), .before("m")].randomElement(using: &random) ?? .first
            address.showsSystemFields = .random(using: &random)
            let query = address.query.dropFirst()
            let again = RecordsAddress(try FormValues(query.utf8))
            #expect(again == address, "\(query)")
        }
    }

    private static let type = RecordType(
        name: "Note", id: 1,
        fields: [
            FieldSchema(
                name: "t", type: FieldType(.string), indexes: .all(for: FieldType(.string)), column: 1),
            FieldSchema(name: "n", type: FieldType(.int64), indexes: .all(for: FieldType(.int64)), column: 2),
            FieldSchema(
                name: "in", type: FieldType(.string), indexes: .all(for: FieldType(.string)), column: 3),
            FieldSchema(
                name: "ref", type: FieldType(.reference), indexes: .all(for: FieldType(.reference)), column: 4
            ),
        ])

    private static func snippets(_ filters: [RecordsAddress.Filter], predicate: String = "") throws
        -> QuerySnippets
    {
        var address = RecordsAddress()
        address.type = "Note"
        address.filters = filters
        address.predicate = predicate
        return QuerySnippets(
            request: try address.request(for: type), address: address, type: type,
            tenant: Tenant(container: try ContainerID("iCloud.test"), environment: .development),
            baseURL: "http://127.0.0.1:8080")
    }

    private static let hostile = [
        "'", "\"", "\\", "\\\"", "$(touch x)", "`id`", "\\(1 + 1)", "\n", "\u{2028}", "</script>", "${x}",
        "'; rm -rf /; '", "'\u{301}; touch x; '\u{301}", "\u{600}'; touch x; \u{600}'", "\u{600}\"\u{600}\\",
        "a' OR '1' == '1", "%@", "\u{202E}", "\\u{41}", "\u{0007}",
    ]

    @Test func `The shell reads hostile texts as texts`() throws {
        for text in Self.hostile {
            let curl = try Self.snippets([.init(field: "t", comparator: .compares(.equals), value: text)])
                .curl
            // The last line is run in place of curl: what arrives has to be the request's JSON.
            let data = try #require(curl.components(separatedBy: "--data-binary ").last)
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = ["-c", "printf %s \(data)"]
            let pipe = Pipe()
            shell.standardOutput = pipe
            try shell.run()
            let output = Array(pipe.fileHandleForReading.readDataToEndOfFile())
            shell.waitUntilExit()
            let json = try #require(try JSONReader.read(output).object)
            let filter = try #require(json["query"]?.object?["filterBy"]?.array?.first?.object)
            #expect(filter["fieldValue"]?.object?["value"]?.string == text)
        }
    }

    @Test func `JavaScript's query is JSON that closes no script`() throws {
        for text in Self.hostile {
            let code = try Self.snippets([.init(field: "t", comparator: .compares(.equals), value: text)])
                .javaScript
            let start = try #require(code.range(of: "performQuery(")).upperBound
            let end = try #require(code.range(of: ", { resultsLimit")).lowerBound
            let query = try #require(try JSONReader.read(Array(code[start..<end].utf8)).object)
            let filter = try #require(query["filterBy"]?.array?.first?.object)
            #expect(filter["fieldValue"]?.object?["value"]?.string == text)
            #expect(!code.contains("</script"))
        }
    }

    @Test func `Swift's literals hold no interpolation, no line end and no hidden marks`() throws {
        for text in Self.hostile {
            let literal = QuerySnippets.swiftLiteral(text)
            #expect(literal.hasPrefix("\"") && literal.hasSuffix("\""))
            let inner = literal.dropFirst().dropLast()
            #expect(!inner.contains { $0.isNewline })
            #expect(!inner.unicodeScalars.contains("\u{202E}"))
            #expect(Self.unescaped(String(inner)) == text)
        }
    }

    /// Reads the escapes of Swift that the literals use; nil where there is another.
    private static func unescaped(_ text: String) -> String? {
        var result = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "\\" else {
                if character == "\"" { return nil }
                result.append(character)
                continue
            }
            switch rest.popFirst() {
            case "n": result += "\n"
            case "r": result += "\r"
            case "t": result += "\t"
            case "\"": result += "\""
            case "\\": result += "\\"
            case "u":
                guard rest.popFirst() == "{", let end = rest.firstIndex(of: "}"),
                    let scalar = UInt32(rest[..<end], radix: 16).flatMap(Unicode.Scalar.init)
                else { return nil }
                result.unicodeScalars.append(scalar)
                rest = rest[rest.index(after: end)...]
            default: return nil
            }
        }
        return result
    }

    @Test func `Swift's format is read by the parser, and the values are its arguments`() throws {
        let filters: [RecordsAddress.Filter] = [
            .init(field: "t", comparator: .compares(.beginsWith), value: "a' OR '1' == '1"),
            .init(field: "n", comparator: .compares(.greaterThan), value: "5"),
            .init(field: "in", comparator: .isThere, value: ""),
            .init(field: "ref", comparator: .compares(.equals), value: "x"),
            .init(field: "t", comparator: .compares(.in), value: "a;b"),
            .init(field: "___recordName", comparator: .compares(.equals), value: "r"),
        ]
        let code = try Self.snippets(filters, predicate: "n < 9 OR t == 'x'").swift
        let match = try #require(code.firstMatch(of: /NSPredicate\(format: "((?:[^"\\]|\\.)*)"/))
        let format = try #require(Self.unescaped(String(match.1)))
        _ = try PredicateTree(parsing: format, arguments: ["a", 5, "x", ["a", "b"], "r"])
        #expect(!format.contains("OR '1'"))
        #expect(code.contains("\"a' OR '1' == '1\", NSNumber(value: 5)"))
        #expect(code.contains("CKRecord.Reference(recordID: CKRecord.ID(recordName: \"x\"), action: .none)"))
        #expect(code.contains("[\"a\", \"b\"]"))
    }
}
