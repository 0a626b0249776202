extension Lexer {
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20) &- 97 < 26 || byte == UInt8(ascii: "_")
    }

    /// Skips blanks, also the ones beyond ASCII that copied text brings along.
    mutating func skipSpace() {
        while position < bytes.count {
            let byte = bytes[position]
            if byte == 0x20 || byte &- 9 < 5 {
                position += 1
            } else if byte >= 0x80, let scalar = scalar(at: position), scalar.properties.isWhitespace {
                position += scalar.utf8.count
            } else {
                return
            }
        }
    }

    /// The code point that starts at a position.
    func scalar(at offset: Int) -> Unicode.Scalar? {
        let end = min(offset + 4, bytes.count)
        return String(decoding: bytes[offset..<end], as: UTF8.self).unicodeScalars.first
    }

    /// Reads an identifier of letters, digits and underscores; letters of every script count, because
    /// keys of real models have them.
    mutating func readIdentifier() -> String? {
        let start = position
        guard !Self.isDigit(peek()) else { return nil }
        skipWord()
        return position > start ? text(start, position) : nil
    }

    /// Moves past the letters, digits and underscores that start here.
    mutating func skipWord() {
        while position < bytes.count {
            let byte = bytes[position]
            if Self.isWordByte(byte) {
                position += 1
            } else if byte >= 0x80, let scalar = scalar(at: position), Self.isLetter(scalar) {
                position += scalar.utf8.count
            } else {
                return
            }
        }
    }

    static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return properties.isAlphabetic || properties.isXIDContinue || properties.isEmoji
            || properties.isJoinControl
    }

    /// Whether text could be written as a key without quotes.
    static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.utf8.first, !isDigit(first) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII ? isWordByte(UInt8(scalar.value)) : isLetter(scalar)
        }
    }

    /// The name after a sign such as `$`, which may also be all digits.
    mutating func readName(after sign: Int) throws(PredicateFormatError) -> String {
        let start = position
        skipWord()
        guard position > start else {
            throw error(.nameMissing(after: text(sign, start)), at: sign)
        }
        return text(start, position)
    }

    private static let doubles: [String: Symbol] = [
        "==": .equal, "!=": .notEqual, "<>": .notEqual, "<=": .lessOrEqual, "=<": .lessOrEqual,
        ">=": .greaterOrEqual, "=>": .greaterOrEqual, "&&": .and, "||": .or, "**": .power,
        "<<": .shiftLeft, ">>": .shiftRight, ":=": .assign,
    ]

    private static let singles: [UInt8: Symbol] = {
        var symbols: [UInt8: Symbol] = [UInt8(ascii: "="): .equal]
        for symbol in Symbol.allCases where symbol.rawValue.utf8.count == 1 {
            for byte in symbol.rawValue.utf8 { symbols[byte] = symbol }
        }
        return symbols
    }()

    /// Reads the longest sign that starts here.
    mutating func readSymbol() -> Symbol? {
        if position + 2 <= bytes.count, let symbol = Self.doubles[text(position, position + 2)] {
            position += 2
            return symbol
        }
        guard let symbol = Self.singles[peek()] else { return nil }
        position += 1
        return symbol
    }
}
