extension Lexer {
    /// Reads a quoted string; the other kind of quote is an ordinary character in it.
    mutating func readString() throws(PredicateFormatError) -> String {
        let start = position
        let quote = peek()
        var content: [UInt8] = []
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            if byte == quote {
                position += 1
                return String(decoding: content, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                try readEscape(into: &content)
            } else {
                content.append(byte)
                position += 1
            }
        }
        throw error(.unterminatedString, at: start)
    }

    /// Reads what follows a backslash.
    ///
    /// NB: a backslash before any other character is dropped, as Apple's parser does; a regular
    /// expression therefore needs `\\d` in the format, or a `%@` argument.
    private mutating func readEscape(into content: inout [UInt8]) throws(PredicateFormatError) {
        let start = position
        position += 1
        guard position < bytes.count else { throw error(.unterminatedString, at: start) }
        let byte = bytes[position]
        switch byte {
        case UInt8(ascii: "n"): content.append(10)
        case UInt8(ascii: "t"): content.append(9)
        case UInt8(ascii: "r"): content.append(13)
        case UInt8(ascii: "x"): return try readCode(digits: 2, radix: 16, from: start, into: &content)
        case UInt8(ascii: "u"): return try readCode(digits: 4, radix: 16, from: start, into: &content)
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            position -= 1
            return try readCode(digits: 3, radix: 8, from: start, into: &content)
        default: content.append(byte)
        }
        position += 1
    }

    /// Reads a code point of a fixed number of digits. Two `\u` escapes may form a surrogate pair.
    private mutating func readCode(
        digits: Int, radix: UInt32, from start: Int, into content: inout [UInt8]
    ) throws(PredicateFormatError) {
        var value = try readDigits(digits, radix: radix, from: start)
        if 0xD800..<0xDC00 ~= value, peek() == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "u") {
            position += 1
            let low = try readDigits(digits, radix: radix, from: start)
            guard 0xDC00..<0xE000 ~= low else { throw error(.badEscape(text(start, position)), at: start) }
            value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw error(.badEscape(text(start, position)), at: start)
        }
        content.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// Reads digits after the letter that `position` is at.
    private mutating func readDigits(
        _ count: Int, radix: UInt32, from start: Int
    ) throws(PredicateFormatError) -> UInt32 {
        position += 1
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = Self.digit(peek()), digit < radix else {
                throw error(.badEscape(text(start, min(position + 1, bytes.count))), at: start)
            }
            value = value * radix + digit
            position += 1
        }
        return value
    }

    /// The value of a digit in any radix up to 16.
    static func digit(_ byte: UInt8) -> UInt32? {
        if isDigit(byte) { return UInt32(byte - 48) }
        let letter = (byte | 0x20) &- 97
        return letter < 6 ? UInt32(letter) + 10 : nil
    }
}
