import RecordModel

/// Record names that the service chooses.
enum TimeOrderedName {
    /// A UUID of version 7 (RFC 9562): milliseconds first, then random bits.
    static func make(now: Int64, random: [UInt8]) -> String {
        var bytes = (0..<6).map { UInt8(truncatingIfNeeded: now >> Int64(40 - 8 * $0)) } + random.prefix(10)
        while bytes.count < 16 { bytes.append(0) }
        bytes[6] = bytes[6] & 0x0F | 0x70
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text = bytes.hex.uppercased()
        // From the last on, so that each is the number of digits before it.
        for digits in [20, 16, 12, 8] { text.insert("-", at: text.index(text.startIndex, offsetBy: digits)) }
        return text
    }
}
