/// Reads JSON text (RFC 8259) into a tree.
///
/// Written by hand because Foundation's coders cost more than the rest of a request
/// (Documentation/decisions/0012-json-by-hand.md).
/// The reader never traps: depth and memory are bounded, invalid UTF-8 and invalid escapes are errors with a byte offset.
public struct JSONReader {
    private var input: UnsafeBufferPointer<UInt8>
    private var position = 0
    private let maximumDepth: Int
    private var refusesLongIntegers = false
    /// What the tree may still take, in bytes.
    private var treeBytes: Int

    /// What values take besides their text. An array that grows has room for twice as many elements.
    private static let elementBytes = 2 * MemoryLayout<JSONValue>.stride
    private static let memberBytes = 2 * MemoryLayout<(key: String, value: JSONValue)>.stride
    private static let containerBytes = 48
    /// Longer texts are not kept in place.
    private static let shortTextBytes = 15

    /// Reads one value that fills the whole text.
    ///
    /// - Parameters:
    ///   - bytes: the text in UTF-8.
    ///   - maximumDepth: how deep arrays and objects may nest.
    ///   - maximumTreeBytes: how much memory the values may take, besides what their texts have in the JSON.
    /// - Throws: ``JSONError`` with the position of the first offence.
    public static func read(
        _ bytes: [UInt8], maximumDepth: Int = 32, maximumTreeBytes: Int = .max
    ) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBufferPointer { read($0, maximumDepth, maximumTreeBytes) }.get()
    }

    /// Reads one value that fills the whole text, which is copied first.
    ///
    /// - Parameters:
    ///   - bytes: the text in UTF-8.
    ///   - maximumDepth: how deep arrays and objects may nest.
    ///   - refusesLongIntegers: whether a whole number beyond 64 bits is an error; else it becomes the nearest one of
    ///     floating point.
    /// - Throws: ``JSONError`` with the position of the first offence.
    public static func read(
        _ bytes: some Sequence<UInt8>, maximumDepth: Int = 32, refusesLongIntegers: Bool = false
    ) throws(JSONError) -> JSONValue {
        try Array(bytes).withUnsafeBufferPointer {
            read($0, maximumDepth, .max, refusesLongIntegers: refusesLongIntegers)
        }.get()
    }

    private static func read(
        _ input: UnsafeBufferPointer<UInt8>, _ depth: Int, _ treeBytes: Int, refusesLongIntegers: Bool = false
    ) -> Result<JSONValue, JSONError> {
        var reader = JSONReader(input: input, maximumDepth: depth, treeBytes: treeBytes)
        reader.refusesLongIntegers = refusesLongIntegers
        do throws(JSONError) {
            let value = try reader.value(depth: 0)
            reader.skipSpace()
            guard reader.position == input.count else {
                throw reader.error("There is text after the JSON value.")
            }
            return .success(value)
        } catch {
            return .failure(error)
        }
    }

    private init(input: UnsafeBufferPointer<UInt8>, maximumDepth: Int, treeBytes: Int) {
        self.input = input
        self.maximumDepth = maximumDepth
        self.treeBytes = treeBytes
    }

    /// Notes what a value takes before memory is asked for.
    private mutating func take(bytes: Int) throws(JSONError) {
        treeBytes -= bytes
        guard treeBytes >= 0 else { throw .size(at: position) }
    }

    private func error(_ message: String) -> JSONError { .syntax(message, at: position) }

    private mutating func skipSpace() {
        while position < input.count {
            switch input[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipSpace()
        guard position < input.count else { throw error("The JSON ends too early.") }
        let byte = input[position]
        guard depth < maximumDepth || (byte != UInt8(ascii: "{") && byte != UInt8(ascii: "[")) else {
            throw .depth(maximumDepth, at: position)
        }
        switch byte {
        case UInt8(ascii: "{"): return try .object(object(depth: depth))
        case UInt8(ascii: "["): return try .array(array(depth: depth))
        case UInt8(ascii: "\""): return try .string(string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw error("A JSON value was expected here.")
        }
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let count = text.utf8CodeUnitCount
        let matches =
            position + count <= input.count
            && (0..<count).allSatisfy { input[position + $0] == text.utf8Start[$0] }
        guard matches else { throw error("A JSON value was expected here.") }
        position += count
        return value
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
        position += 1
        var members: [(key: String, value: JSONValue)] = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return JSONObject() }
        try take(bytes: Self.containerBytes)
        while true {
            try take(bytes: Self.memberBytes)
            skipSpace()
            guard position < input.count, input[position] == UInt8(ascii: "\"") else {
                throw error("A member name in quotes was expected here.")
            }
            let key = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw error("A ':' was expected here.") }
            members.append((key, try value(depth: depth + 1)))
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            if take(UInt8(ascii: "}")) { return JSONObject(members) }
            throw error("A ',' or '}' was expected here.")
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        position += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return elements }
        try take(bytes: Self.containerBytes)
        while true {
            try take(bytes: Self.elementBytes)
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            if take(UInt8(ascii: "]")) { return elements }
            throw error("A ',' or ']' was expected here.")
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < input.count, input[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        var isInteger = true
        if input[position] == UInt8(ascii: "-") { position += 1 }
        let digits = skipDigits()
        guard digits > 0 else { throw error("A digit was expected here.") }
        if digits > 1, input[position - digits] == UInt8(ascii: "0") {
            throw error("A number cannot begin with 0.")
        }
        if take(UInt8(ascii: ".")) {
            isInteger = false
            guard skipDigits() > 0 else { throw error("A digit was expected here.") }
        }
        if position < input.count, input[position] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            if position < input.count,
                input[position] == UInt8(ascii: "+") || input[position] == UInt8(ascii: "-")
            {
                position += 1
            }
            guard skipDigits() > 0 else { throw error("A digit was expected here.") }
        }
        if isInteger, digits <= Self.safeDigits {
            let value = integer(start..<position)
            // What C's printf writes for a negative zero.
            return value == 0 && input[start] == UInt8(ascii: "-") ? .double(-0.0) : .int(value)
        }
        let text = String(decoding: input[start..<position], as: UTF8.self)
        if isInteger, let value = Int64(text) { return .int(value) }
        guard !isInteger || !refusesLongIntegers else {
            throw error("The number \(text.prefix(40)) is beyond 64 bits; in quotes it stays as it is.")
        }
        guard let value = Double(text), value.isFinite else { throw error("The number is too large.") }
        return isInteger ? .longInteger(nearest: value) : .double(value)
    }

    /// So many digits never overflow 64 bits.
    private static let safeDigits = 18

    /// The integer that some digits are, with a sign or without.
    private func integer(_ range: Range<Int>) -> Int64 {
        let isNegative = input[range.lowerBound] == UInt8(ascii: "-")
        var value: Int64 = 0
        for index in isNegative ? range.dropFirst() : range {
            value = value * 10 + Int64(input[index] - 0x30)
        }
        return isNegative ? -value : value
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while position < input.count, (0x30...0x39).contains(input[position]) { position += 1 }
        return position - start
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        // Most strings have no escape: they are found by one scan and copied once.
        while position < input.count {
            let byte = input[position]
            if byte == UInt8(ascii: "\"") {
                guard let text = String(validating: input[start..<position], as: UTF8.self) else {
                    throw .syntax("The text is not valid UTF-8.", at: start)
                }
                if position - start > Self.shortTextBytes { try take(bytes: Self.containerBytes) }
                position += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            guard byte >= 0x20 else { throw error("A control character in a string must be escaped.") }
            position += 1
        }
        throw error("The string does not end.")
    }

    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var bytes = Array(input[start..<position])
        while position < input.count {
            let byte = input[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw .syntax("The text is not valid UTF-8.", at: start)
                }
                if bytes.count > Self.shortTextBytes { try take(bytes: Self.containerBytes) }
                return text
            case UInt8(ascii: "\\"): try escape(into: &bytes)
            case 0..<0x20: throw error("A control character in a string must be escaped.")
            default: bytes.append(byte)
            }
        }
        throw error("The string does not end.")
    }

    private mutating func escape(into bytes: inout [UInt8]) throws(JSONError) {
        guard position < input.count else { throw error("The string does not end.") }
        let byte = input[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"): bytes.append(contentsOf: String(try unicodeEscape()).utf8)
        default: throw error("This escape is not known to JSON.")
        }
    }

    private mutating func unicodeEscape() throws(JSONError) -> Character {
        let first = try fourHexDigits()
        if let scalar = Unicode.Scalar(first) { return Character(scalar) }
        guard first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw error("A surrogate is not part of a pair.")
        }
        let second = try fourHexDigits()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw error("A surrogate is not part of a pair.") }
        return Character(scalar)
    }

    private mutating func fourHexDigits() throws(JSONError) -> UInt32 {
        guard position + 4 <= input.count else { throw error("Four hexadecimal digits were expected here.") }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(input[position])).hexDigitValue, input[position] < 0x80
            else {
                throw error("Four hexadecimal digits were expected here.")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
