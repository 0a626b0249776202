/// Text as it may stand in a log that people look at: nothing in it moves the cursor, changes colours, breaks the line
/// or turns the direction of reading, whoever wrote it.
enum LogText {
    /// A line of the text log.
    static func escaped(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy(isPlain) { return Array(text.utf8) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars {
            if isHarmless(scalar) {
                bytes.append(contentsOf: String(scalar).utf8)
            } else {
                bytes.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".utf8)
            }
        }
        return bytes
    }

    /// A line of JSON, where quotes and line feeds are escaped already.
    static func escaped(json: [UInt8]) -> [UInt8] {
        // Without a way out, so that the compiler looks at many bytes at once.
        var odd: UInt8 = 0
        json.withUnsafeBufferPointer { bytes in
            for byte in bytes { odd |= isPlain(byte) ? 0 : 1 }
        }
        if odd == 0 { return json }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.count + 16)
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            if isHarmless(scalar) {
                bytes.append(contentsOf: String(scalar).utf8)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    bytes.append(
                        contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
                }
            }
        }
        return bytes
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte &- 0x20 < 0x7F - 0x20 }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default: true
        }
    }
}
