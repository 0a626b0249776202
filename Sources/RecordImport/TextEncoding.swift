/// How the text of a file is written as bytes, which the file itself seldom says.
package enum TextEncoding: String, CaseIterable, Sendable {
    case utf8 = "utf-8"
    /// What Excel writes in western Europe and America when it is not asked for UTF-8.
    case windows1252 = "windows-1252"
    /// What Excel calls Unicode text: with a byte order mark.
    case utf16 = "utf-16"

    /// The encoding by the first part of a file: UTF-16 where it begins with that byte order mark, Windows-1252 where it
    /// is no UTF-8. A longer part may be cut in the middle of a character.
    package static func detect(in bytes: [UInt8]) -> TextEncoding {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return .utf16 }
        var whole = bytes[...]
        // At most three bytes of a character may be here without the last one.
        for _ in 0..<4 where (whole.last ?? 0) >= 0x80 { whole.removeLast() }
        return String(validating: whole, as: UTF8.self) == nil ? .windows1252 : .utf8
    }
}

/// Turns bytes of an encoding into UTF-8, piece by piece.
package struct TextConverter: Sendable {
    private let encoding: TextEncoding
    private var isBigEndian: Bool?
    /// A byte without its second one.
    private var half: UInt8?
    /// The first half of a character beyond the 16 bits.
    private var high: UInt16?

    /// The characters of the bytes 0x80 to 0x9F in Windows-1252, as the WHATWG's encoding standard has them; all other
    /// bytes are the characters of the same number.
    private static let special: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152,
        0x8D,
        0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161,
        0x203A,
        0x0153, 0x9D, 0x017E, 0x0178,
    ]

    /// Starts at the beginning of a file.
    package init(_ encoding: TextEncoding) { self.encoding = encoding }

    /// The next bytes in UTF-8.
    package mutating func convert(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        for byte in bytes {
            switch encoding {
            case .utf8: text.append(byte)
            case .windows1252:
                append(
                    UInt32(byte < 0x80 || byte > 0x9F ? UInt16(byte) : Self.special[Int(byte) - 0x80]), &text)
            case .utf16: take(byte, &text)
            }
        }
        return text
    }

    private mutating func take(_ byte: UInt8, _ text: inout [UInt8]) {
        guard let first = half else {
            half = byte
            return
        }
        half = nil
        // The mark that says which byte comes first; without one, the smaller.
        guard let isBigEndian else {
            self.isBigEndian = first == 0xFE && byte == 0xFF
            if (first, byte) == (0xFE, 0xFF) || (first, byte) == (0xFF, 0xFE) { return }
            return unit(UInt16(byte) << 8 | UInt16(first), &text)
        }
        unit(isBigEndian ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first), &text)
    }

    private mutating func unit(_ unit: UInt16, _ text: inout [UInt8]) {
        if let first = high {
            high = nil
            if (0xDC00...0xDFFF).contains(unit) {
                return append(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(unit) - 0xDC00), &text)
            }
            append(0xFFFD, &text)
        }
        if (0xD800...0xDBFF).contains(unit) {
            high = unit
        } else {
            append(UInt32(unit), &text)
        }
    }

    private func append(_ value: UInt32, _ text: inout [UInt8]) {
        text += Array(String(Character(Unicode.Scalar(value) ?? "\u{FFFD}")).utf8)
    }
}
