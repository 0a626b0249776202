/// How the text of a file is written as bytes, which the file itself seldom says.
package enum TextEncoding: String, CaseIterable, Sendable {
    case utf8 = "utf-8"
    /// What Excel writes in western Europe and America when it is not asked for UTF-8.
    case windows1252 = "windows-1252"
    /// What Excel calls Unicode text: with a byte order mark; without one, by where the zeros of its letters stand.
    case utf16 = "utf-16"

    /// The encoding by the first part of a file: UTF-16 where it begins with that byte order mark or has a zero in every other
    /// byte, Windows-1252 where it is not UTF-8. A longer part may be cut in the middle of a character.
    package static func detect(in bytes: [UInt8]) -> TextEncoding {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return .utf16 }
        let pairs = bytes.count / 2
        // Text in other encodings has no zeros.
        let zeros = bytes.prefix(1_000).count { $0 == 0 }
        if pairs > 0, zeros * 3 >= min(pairs, 500) { return .utf16 }
        var whole = bytes[...]
        // At most three bytes of a character may be here without the last one.
        for _ in 0..<4 where (whole.last ?? 0) >= 0x80 { whole.removeLast() }
        return String(validating: whole, as: UTF8.self) == nil ? .windows1252 : .utf8
    }
}

/// What the bytes of a spreadsheet's own file begin with, which is not text.
package enum SpreadsheetFile {
    /// Whether a file begins as those of today's spreadsheets do, which are ZIP archives, or as those of old ones.
    package static func begins(_ bytes: some Sequence<UInt8>) -> Bool {
        let head = Array(bytes.prefix(8))
        return head.starts(with: [0x50, 0x4B, 0x03, 0x04])
            || head == [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]
    }

    /// What to do with one.
    package static let remedy =
        "Open it in the program that made it, save the sheet as CSV, and import that file."
}

/// FairQueue bytes of an encoding into UTF-8, piece by piece.
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
        // The mark that says which byte comes first; without one, a file begins with a letter of ASCII.
        if isBigEndian == nil {
            isBigEndian = (first, byte) == (0xFE, 0xFF) || first == 0 && byte != 0
            if (first, byte) == (0xFE, 0xFF) || (first, byte) == (0xFF, 0xFE) { return }
        }
        unit(
            isBigEndian == true ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first), &text
        )
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
