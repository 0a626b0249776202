extension Lexer {
    private static let conversions = Set("@KdDiuUxXoOcCfFeEgGaAsS".utf8)
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
        return .argument(conversion: text(body, position), position: argumentPosition)
    }

    private mutating func skipArgumentDigits() { while Self.isDigit(peek()) { position += 1 } }
}
