import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct FieldDecodingTests {
    /// A field of a request, the type that the schema has, and what comes of it: a value or a part of the error.
    struct Scenario: Sendable, CustomTestStringConvertible {
        var json: JSONValue
        var expected: FieldType?
        var quoted = false
        var result: Result<FieldValue?, Refusal>
        var testDescription: String { json.text + (expected.map { " as \($0.tag)" } ?? "") }
    }

    struct Refusal: Error, Equatable { var part: String }

    static func accept(
        _ json: JSONValue, as expected: FieldType.Scalar? = nil, quoted: Bool = false, _ value: FieldValue?
    ) -> Scenario {
        Scenario(
            json: json, expected: expected.map { FieldType($0) }, quoted: quoted, result: .success(value))
    }

    static func refuse(
        _ json: JSONValue, as expected: FieldType? = nil, quoted: Bool = false, _ part: String
    ) -> Scenario {
        Scenario(json: json, expected: expected, quoted: quoted, result: .failure(Refusal(part: part)))
    }

    static let place: JSONValue = ["latitude": 48.5, "longitude": -10]
    static let link: JSONValue = ["recordName": "r", "action": "VALIDATE"]
    static let file: JSONValue = ["fileChecksum": "AQ==", "size": 3, "receipt": "r"]

    static let accepted: [Scenario] = [
        accept(["value": "a", "type": "STRING"], .string("a")),
        accept(["value": "a"], .string("a")),
        accept(["value": 5, "type": "INT64"], .int64(5)),
        accept(["value": 5.0, "type": "INT64"], .int64(5)),
        accept(["value": true, "type": "INT64"], .int64(1)),
        accept(["value": false], .int64(0)),
        accept(["value": .int(.min)], .int64(.min)),
        accept(["value": "9223372036854775807", "type": "INT64"], quoted: true, .int64(.max)),
        accept(["value": 5, "type": "DOUBLE"], .double(5)),
        accept(["value": 5, "type": "NUMBER_INT64"], .int64(5)),
        accept(["value": 5, "type": "NUMBER_DOUBLE"], .double(5)),
        accept(["value": [5], "type": "NUMBER_INT64_LIST"], .list([.int64(5)], of: .int64)),
        accept(["value": [5], "type": "NUMBER_DOUBLE_LIST"], .list([.double(5)], of: .double)),
        accept(["value": 5], as: .double, .double(5)),
        accept(["value": 2.5], .double(2.5)),
        // Where floating point is meant, the nearest number is.
        accept(["value": .longInteger(nearest: 0x1p64), "type": "DOUBLE"], .double(0x1p64)),
        accept(["value": .longInteger(nearest: 0x1p64)], as: .double, .double(0x1p64)),
        accept(["value": .int(1 << 53 + 1)], as: .double, .double(0x1p53)),
        accept(["value": .int(1 << 53 + 1)], .int64(1 << 53 + 1)),
        accept(["value": .double(0x1p53 - 1), "type": "INT64"], .int64(1 << 53 - 1)),
        accept(
            ["value": [.double(0.5), .int(1 << 53)]], .list([.double(0.5), .double(0x1p53)], of: .double)),
        accept(["value": "2.5", "type": "DOUBLE"], quoted: true, .double(2.5)),
        accept(["value": 1_700_000_000_000, "type": "TIMESTAMP"], .timestamp(1_700_000_000_000)),
        accept(["value": -1], as: .timestamp, .timestamp(-1)),
        accept(["value": 5.0, "type": "TIMESTAMP"], .timestamp(5)),
        accept(["value": "AQID", "type": "BYTES"], .bytes([1, 2, 3])),
        accept(["value": "AQID"], as: .bytes, .bytes([1, 2, 3])),
        accept(["value": "", "type": "BYTES"], .bytes([])),
        accept(
            ["value": link, "type": "REFERENCE"], .reference(Reference(recordName: "r", action: .validate))),
        accept(["value": ["recordName": "r"]], .reference(Reference(recordName: "r"))),
        accept(
            ["value": file, "type": "ASSETID"], .asset(Asset(fileChecksum: "AQ==", size: 3, receipt: "r"))),
        accept(["value": file, "type": "ASSET"], .asset(Asset(fileChecksum: "AQ==", size: 3, receipt: "r"))),
        accept(["value": file], .asset(Asset(fileChecksum: "AQ==", size: 3, receipt: "r"))),
        accept(["value": place, "type": "LOCATION"], .location(Location(latitude: 48.5, longitude: -10))),
        accept(["value": place], .location(Location(latitude: 48.5, longitude: -10))),
        accept(
            ["value": ["latitude": 90, "longitude": -180]], .location(Location(latitude: 90, longitude: -180))
        ),
        accept(
            ["value": ["a", "b"], "type": "STRING_LIST"], .list([.string("a"), .string("b")], of: .string)),
        accept(["value": ["a"]], .list([.string("a")], of: .string)),
        accept(["value": [1, 2]], .list([.int64(1), .int64(2)], of: .int64)),
        accept(["value": [1, 2], "type": "DOUBLE_LIST"], .list([.double(1), .double(2)], of: .double)),
        accept(["value": [7], "type": "TIMESTAMP_LIST"], .list([.timestamp(7)], of: .timestamp)),
        accept(["value": ["AQ=="], "type": "BYTES_LIST"], .list([.bytes([1])], of: .bytes)),
        accept(
            ["value": [link], "type": "REFERENCE_LIST"],
            .list([.reference(Reference(recordName: "r", action: .validate))], of: .reference)),
        accept(
            ["value": [place]], .list([.location(Location(latitude: 48.5, longitude: -10))], of: .location)),
        accept(["value": [], "type": "INT64_LIST"], .list([], of: .int64)),
        accept(["value": [], "type": "UNKNOWN_LIST"], .list([], of: nil)),
        accept(["value": []], .list([], of: nil)),
        accept(["value": nil, "type": "STRING"], nil),
        accept(["value": nil], nil),
        accept(["type": "STRING"], nil),
        accept(["value": nil, "isEncrypted": true], nil),
    ]

    static let refused: [Scenario] = [
        refuse(["value": ["a"], "type": "LIST"], "BadRequestException: Unexpected input"),
        refuse(["value": ["a"]], as: FieldType(.string), "expected type STRING but actual value was a list"),
        refuse(["value": [], "type": "UNKNOWN_LIST"], as: FieldType(.string), "expected type STRING"),
        refuse(["value": "a"], as: .list(.string), "expected type STRING_LIST"),
        refuse(["value": 1.5, "type": "TIMESTAMP"], "expected type TIMESTAMP"),
        refuse(["value": "5"], as: FieldType(.timestamp), quoted: true, "expected type TIMESTAMP"),
        refuse(["value": 1.5, "type": "INT64"], "expected type INT64"),
        refuse(["value": 1e19, "type": "INT64"], "expected type INT64"),
        refuse(["value": .double(0x1p53), "type": "INT64"], "expected type INT64"),
        refuse(["value": .double(-0x1p53), "type": "TIMESTAMP"], "expected type TIMESTAMP"),
        refuse(["value": .longInteger(nearest: -0x1p63), "type": "INT64"], "expected type INT64"),
        refuse(
            ["value": .longInteger(nearest: -0x1p63)], as: FieldType(.timestamp), "expected type TIMESTAMP"),
        refuse(["value": .longInteger(nearest: 0x1p64)], "would change"),
        refuse(["value": [.longInteger(nearest: 0x1p64)]], "would change"),
        refuse(["value": [.double(0.5), .int(1 << 53 + 1)]], "would change"),
        refuse(["value": [.int(1), .longInteger(nearest: 0x1p64)]], "expected type INT64"),
        refuse(["value": "5", "type": "INT64"], "expected type INT64"),
        refuse(["value": "5x", "type": "INT64"], quoted: true, "expected type INT64"),
        refuse(["value": "9223372036854775808", "type": "INT64"], quoted: true, "expected type INT64"),
        refuse(["value": "2.5", "type": "DOUBLE"], "expected type DOUBLE"),
        refuse(["value": "NaN", "type": "DOUBLE"], quoted: true, "expected type DOUBLE"),
        refuse(["value": "inf", "type": "DOUBLE"], quoted: true, "expected type DOUBLE"),
        refuse(["value": "1e999", "type": "DOUBLE"], quoted: true, "expected type DOUBLE"),
        refuse(["value": "", "type": "DOUBLE"], quoted: true, "expected type DOUBLE"),
        refuse(["value": true, "type": "DOUBLE"], "expected type DOUBLE"),
        refuse(["value": 5, "type": "STRING"], "expected type STRING"),
        refuse(["value": "*", "type": "BYTES"], "base64"),
        refuse(["value": 5, "type": "BYTES"], "expected type BYTES"),
        refuse(["value": ["action": "NONE"], "type": "REFERENCE"], "'recordName' is missing"),
        refuse(
            ["value": ["recordName": "r", "action": "EXPLODE"], "type": "REFERENCE"], "reference action"),
        refuse(["value": ["recordName": 5], "type": "REFERENCE"], "'recordName' must be a string"),
        refuse(["value": "r", "type": "REFERENCE"], "expected type REFERENCE"),
        refuse(["value": ["recordName": ""], "type": "REFERENCE"], "not the name of a record"),
        refuse(["value": ["recordName": "a\n"], "type": "REFERENCE"], "not the name of a record"),
        refuse(["value": "a\0", "type": "STRING"], "U+0000"),
        refuse(["value": ["\0"]], "U+0000"),
        refuse(["value": ["size": 1], "type": "ASSETID"], "'fileChecksum' is missing"),
        refuse(["value": ["latitude": 90.1, "longitude": 0], "type": "LOCATION"], "out of range"),
        refuse(["value": ["latitude": 0, "longitude": -180.5]], "out of range"),
        refuse(["value": ["latitude": 0], "type": "LOCATION"], "'latitude' and 'longitude'"),
        refuse(["value": ["latitude": "0", "longitude": 0], "type": "LOCATION"], "must be a number"),
        refuse(["value": ["a", 1]], "expected type STRING"),
        refuse(["value": [nil], "type": "STRING_LIST"], "expected type STRING"),
        refuse(
            ["value": [["a"]], "type": "STRING_LIST"], "expected type STRING but actual value was a list"),
        refuse(["value": "AQ==", "type": "ENCRYPTED_BYTES"], "Attempt to save encrypted data"),
        refuse(["value": "a", "type": "STRING", "isEncrypted": true], "Attempt to save encrypted data"),
        refuse(["value": "a", "type": "string"], "is not a field type"),
        refuse(["value": "a", "type": "_LIST"], "is not a field type"),
        refuse(["value": "a", "type": 5], "'type' must be a string"),
        refuse(["value": ["x": 1]], "is not clear"),
    ]

    @Test(arguments: accepted + refused)
    func `A field of a request is typed or refused`(_ scenario: Scenario) throws {
        let decode = { () throws(JSONError) -> FieldValue? in
            guard let object = scenario.json.object else { throw .shape("no object") }
            return try FieldValue.decode(
                WireField(json: object), expected: scenario.expected, numbersAsStrings: scenario.quoted)
        }
        switch scenario.result {
        case .success(let value): #expect(try decode() == value)
        case .failure(let refusal):
            let error = #expect(throws: JSONError.self) { try decode() }
            let message = try #require(error).message
            #expect(message.contains(refusal.part), "\(message)")
        }
    }

    @Test func `A list may have so many elements and no more`() throws {
        func list(_ count: Int) throws -> FieldValue? {
            let elements = [JSONValue](repeating: 1, count: count)
            return try FieldValue.decode(WireField(value: .array(elements)), expected: nil)
        }
        #expect(try list(Limits.listElements) != nil)
        #expect(throws: JSONError.self) { try list(Limits.listElements + 1) }
    }

    @Test func `Every tag is read back as its type`() {
        for scalar in FieldType.Scalar.allCases {
            for type in [FieldType(scalar), .list(scalar)] { #expect(FieldType(tag: type.tag) == type) }
        }
    }
}
