extension Sequence<UInt8> {
    /// The bytes as hexadecimal digits, two for each, in small letters.
    public var hex: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            digits.append(HexadecimalDigit.small(byte >> 4))
            digits.append(HexadecimalDigit.small(byte & 15))
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

extension String {
    /// The text of a UUID: 32 hexadecimal digits in five groups.
    ///
    /// - Parameters:
    ///   - high: its first 64 bits.
    ///   - low: the others.
    ///   - isCapital: whether its letters are capitals.
    public init(uuidOf high: UInt64, _ low: UInt64, isCapital: Bool) {
        self.init(unsafeUninitializedCapacity: 36) { text in
            var end = 0
            for index in 0..<32 {
                if index == 8 || index == 12 || index == 16 || index == 20 {
                    text[end] = UInt8(ascii: "-")
                    end += 1
                }
                let value =
                    UInt8(truncatingIfNeeded: (index < 16 ? high : low) >> UInt64(60 - index % 16 * 4)) & 15
                text[end] = isCapital ? HexadecimalDigit.capital(value) : HexadecimalDigit.small(value)
                end += 1
            }
            return end
        }
    }
}

/// Digits of the base 16, as ASCII.
enum HexadecimalDigit {
    /// The digit of a value below 16, with a small letter.
    static func small(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    /// The digit of a value below 16, with a capital letter.
    static func capital(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}
