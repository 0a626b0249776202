import RecordWire

/// Text as it may stand in a log that people look at: nothing in it moves the cursor, changes colours, breaks the line
/// or turns the direction of reading, whoever wrote it.
enum LogText {
    /// A line of the text log.
    static func escaped(_ text: String) -> [UInt8] { Array(HarmlessText.escaped(text).utf8) }

    /// A line of JSON, where quotes and line feeds are escaped already.
    static func escaped(json: [UInt8]) -> [UInt8] {
        // Without a way out, so that the compiler looks at many bytes at once.
        var odd: UInt8 = 0
        json.withUnsafeBufferPointer { bytes in
            for byte in bytes { odd |= HarmlessText.isPlain(byte) ? 0 : 1 }
        }
        if odd == 0 { return json }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.count + 16)
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            if HarmlessText.isHarmless(scalar) {
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
}
