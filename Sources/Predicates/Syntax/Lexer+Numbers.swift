internal import Foundation

extension Lexer {
    /// Reads a number without a sign: decimal, `0x1F`, `0o17` or `0b01`.
    mutating func readNumber() throws(PredicateFormatError) -> NumberLiteral {
        let start = position
        let number: NumberLiteral
        if let radixNumber = try readRadixNumber() {
            number = radixNumber
        } else {
            number = try readDecimalNumber(from: start)
        }
        let end = position
        skipWord()
        guard position == end else { throw error(.badNumber(text(start, position)), at: start) }
        return number
    }

    private mutating func readRadixNumber() throws(PredicateFormatError) -> NumberLiteral? {
        guard peek() == UInt8(ascii: "0") else { return nil }
        let radixes: [UInt8: UInt32] = [
            UInt8(ascii: "x"): 16, UInt8(ascii: "o"): 8, UInt8(ascii: "b"): 2,
        ]
        guard let radix = radixes[peek(1) | 0x20] else { return nil }
        let start = position
        position += 2
        let digits = position
        var value: UInt64 = 0
        while let digit = Self.digit(peek()), digit < radix {
            let (product, overflow) = value.multipliedReportingOverflow(by: UInt64(radix))
            // The radix is even, so adding a digit to a product that fits cannot overflow.
            guard !overflow else { throw error(.numberTooLarge, at: start) }
            value = product + UInt64(digit)
            position += 1
        }
        guard position > digits else { throw error(.badNumber(text(start, position)), at: start) }
        return .integer(value)
    }

    private mutating func skipDigits() { while Self.isDigit(peek()) { position += 1 } }

    private mutating func readDecimalNumber(from start: Int) throws(PredicateFormatError) -> NumberLiteral {
        var isWhole = true
        skipDigits()
        if peek() == UInt8(ascii: "."), Self.isDigit(peek(1)) {
            isWhole = false
            position += 1
            skipDigits()
        }
        if peek() | 0x20 == UInt8(ascii: "e") {
            let sign = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-") ? 1 : 0
            if Self.isDigit(peek(1 + sign)) {
                isWhole = false
                position += 1 + sign
                skipDigits()
            }
        }
        let digits = text(start, position)
        if isWhole {
            if let value = UInt64(digits) { return .integer(value) }
            if digits.utf8.count <= 38, let value = Decimal(string: digits) { return .decimal(value) }
        }
        guard let value = Double(digits), value.isFinite else { throw error(.numberTooLarge, at: start) }
        return .double(value)
    }
}
