extension Lexer {
    private static let conversions = Set("@KdDiuUxXoOcCfFeEgGaAsSp".utf8)
    private static let lengths = Set("hlqLztj".utf8)

    /// Reads what a percent sign begins: `%%`, or an argument as in printf.
    mutating func readPercent() throws(PredicateFormatError) -> Token.Kind {
        let start = position
        position += 1
        if peek() == UInt8(ascii: "%") {
            position += 1
            return .symbol(.modulus)
        }
        var argumentPosition: Int?
        var body = position
        skipArgumentDigits()
        if position > body, peek() == UInt8(ascii: "$") {
            guard let number = Int(text(body, position)), number > 0 else {
                throw error(.badConversion(text(start, position)), at: start)
            }
            argumentPosition = number - 1
            position += 1
            body = position
            skipArgumentDigits()
        }
        if peek() == UInt8(ascii: ".") {
            position += 1
            skipArgumentDigits()
        }
        while Self.lengths.contains(peek()) { position += 1 }
        guard Self.conversions.contains(peek()) else {
            throw error(.badConversion(text(start, min(position + 1, bytes.count))), at: start)
        }
        position += 1
        let end = position
        skipDoubledConversion()
        return .argument(conversion: text(body, end), position: argumentPosition)
    }

    /// Real code says `%lud`, and means an integer once.
    private mutating func skipDoubledConversion() {
        let integers = Set("diu".utf8)
        guard position > 0, integers.contains(bytes[position - 1]), integers.contains(peek()) else { return }
        position += 1
        let after = position
        skipWord()
        // More than one letter is a word of its own, such as %dinner.
        position = position == after ? after : after - 1
    }

    private mutating func skipArgumentDigits() { while Self.isDigit(peek()) { position += 1 } }
}
