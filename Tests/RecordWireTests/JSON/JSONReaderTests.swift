import RecordWire
import TestSupport
import Testing

@Suite struct JSONReaderTests {
    /// A text and the value that it stands for.
    struct Scenario: Sendable, CustomTestStringConvertible {
        var text: String
        var value: JSONValue
        var testDescription: String { String(text.prefix(40)) }

        init(_ text: String, _ value: JSONValue) {
            self.text = text
            self.value = value
        }
    }

    static let texts: [Scenario] = [
        Scenario(#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{C}\n\r\t")),
        Scenario(#""\u0041\u00e9\u4E2D""#, .string("Aé中")),
        Scenario(#""\ud83d\ude00""#, .string("😀")),
        Scenario(#""\uDBFF\uDFFF""#, .string("\u{10FFFF}")),
        Scenario(#""\u0000a""#, .string("\0a")),
        Scenario(
            "\"\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\"",
            .string("\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}")),
        Scenario("\"\"", .string("")),
    ]

    static let numbers: [Scenario] = [
        Scenario("0", .int(0)),
        Scenario("-0", .double(-0.0)),
        Scenario("9223372036854775807", .int(.max)),
        Scenario("-9223372036854775808", .int(.min)),
        Scenario("9223372036854775808", .longInteger(nearest: 9_223_372_036_854_775_808)),
        Scenario("-9223372036854775809", .longInteger(nearest: -9_223_372_036_854_775_808)),
        Scenario("1.0", .double(1)),
        Scenario("-0.0", .double(-0.0)),
        Scenario("1e3", .double(1000)),
        Scenario("1E+3", .double(1000)),
        Scenario("125e-2", .double(1.25)),
        Scenario("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
        Scenario("5e-324", .double(.leastNonzeroMagnitude)),
        Scenario("1e-400", .double(0)),
        Scenario("0.1", .double(0.1)),
        Scenario(String(repeating: "9", count: 300), .longInteger(nearest: 1e300)),
    ]

    static let structures: [Scenario] = [
        Scenario(" \n\r\t{ } ", .object(JSONObject())),
        Scenario("[ ]", .array([])),
        Scenario("[1,true,false,null,\"a\",{\"b\":[]}]", [1, true, false, nil, "a", ["b": []]]),
        Scenario("{\"a\":1,\"b\":{\"a\":2}}", ["a": 1, "b": ["a": 2]]),
    ]

    @Test(arguments: texts + numbers + structures)
    func `Valid texts are read`(_ scenario: Scenario) throws {
        #expect(try JSONReader.read(scenario.text.utf8) == scenario.value)
    }

    @Test(arguments: [
        "", " ", "{", "[", "\"", "}", "]", "nul", "nulll", "True", "undefined", "NaN", "Infinity", "-", "+1",
        "01",
        "-01", "1.", ".5", "1e", "1e+", "1.e3", "0x10", "1_000", "1 2", "[1,]", "[,1]", "[1 2]", "{\"a\"}",
        "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}", "{1:2}", "{\"a\" 1}", "\"\\x\"", "\"\\u12\"",
        "\"\\u12G4\"",
        "\"\\uD800\"", "\"\\uDC00\"", "\"\\uD800x\"", "\"\\uD800\\u0041\"", "\"\\uD800\\uD800\"", "\"\\",
        "\"\\u",
        "\"a\nb\"", "\"\u{1}\"", "\u{FEFF}{}", "1e400", "-1e400", "{} x", "[1]]", "/* c */ 1",
    ])
    func `Everything else is refused`(_ text: String) {
        #expect(throws: JSONError.self) { try JSONReader.read(text.utf8) }
    }

    /// Overlong forms, halves of surrogates, bytes beyond Unicode and sequences cut short.
    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
            [0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
        ] as [[UInt8]])
    func `Text that is not UTF-8 is refused in every place`(_ bad: [UInt8]) {
        let quote = Array("\"".utf8)
        #expect(throws: JSONError.self) { try JSONReader.read(quote + bad + quote) }
        #expect(throws: JSONError.self) { try JSONReader.read(quote + Array("\\n".utf8) + bad + quote) }
        #expect(throws: JSONError.self) { try JSONReader.read(Array("{\"".utf8) + bad + Array("\":1}".utf8)) }
        #expect(throws: JSONError.self) { try JSONReader.read(bad) }
    }

    @Test(arguments: [("[", "]", "1"), ("{\"a\":", "}", "{}"), ("[{\"a\":", "}]", "null")])
    func `Nesting is followed to the limit and no deeper`(_ open: String, _ close: String, _ leaf: String)
        throws
    {
        let perLevel = open.contains("[{") ? 2 : 1
        func nested(_ levels: Int) -> String {
            let inner = leaf == "{}" ? levels - 1 : levels
            return String(repeating: open, count: inner / perLevel) + leaf
                + String(repeating: close, count: inner / perLevel)
        }
        _ = try JSONReader.read(nested(32).utf8, maximumDepth: 32)
        let error = #expect(throws: JSONError.self) {
            try JSONReader.read(nested(32 + perLevel).utf8, maximumDepth: 32)
        }
        #expect(error?.code == "JSON_DEPTH")
    }

    @Test func `A million brackets are refused without using up the stack`() {
        let text = Array(repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(throws: JSONError.self) { try JSONReader.read(text) }
    }

    @Test func `An error names the byte of the first offence`() {
        let error = #expect(throws: JSONError.self) { try JSONReader.read("{\"a\": nope}".utf8) }
        #expect(error?.offset == 6)
    }

    @Test func `Of members of one name the last one counts, and null is absent`() throws {
        let object = try #require(try JSONReader.read(#"{"a":1,"a":2,"b":3,"b":null}"#.utf8).object)
        #expect(object["a"] == 2)
        #expect(object["b"] == nil)
        #expect(object.members.count == 4)
    }

    @Test func `Values are read from any collection of bytes`() throws {
        #expect(try JSONReader.read(AnyCollection(Array("[1]".utf8))) == [1])
    }

    @Test(arguments: [
        "0,", "[],", "{},", "{\"\":0},", "\"sixteen letters.\",", "[[0]],", "\"\\u0041sixteen letters\",",
    ])
    func `Values take so much memory and no more`(item: String) throws {
        let text = "[" + String(repeating: item, count: 10_000).dropLast() + "]"
        let bytes = Array(text.utf8)
        #expect(try JSONReader.read(bytes, maximumTreeBytes: 4_000_000).array?.count == 10_000)
        let error = #expect(throws: JSONError.self) { try JSONReader.read(bytes, maximumTreeBytes: 100_000) }
        #expect(error?.code == "JSON_SIZE" && error?.detail != nil)
    }

    @Test func `One member after the other counts as well`() throws {
        let bytes = Array(("{" + String(repeating: "\"\":0,", count: 10_000).dropLast() + "}").utf8)
        #expect(throws: JSONError.self) { try JSONReader.read(bytes, maximumTreeBytes: 100_000) }
        #expect(try JSONReader.read(bytes).object?.members.count == 10_000)
    }
}
