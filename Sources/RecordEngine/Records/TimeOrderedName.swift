import RecordModel

/// Record names that the service chooses.
enum TimeOrderedName {
    /// A UUID of version 7 (RFC 9562): milliseconds first, then random bits.
    ///
    /// - Parameter random: ten bytes; what is missing of them is zero.
    static func make(now: Int64, random: [UInt8]) -> String {
        func word(_ bytes: ArraySlice<UInt8>, count: Int) -> UInt64 {
            let value = bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            return value << UInt64(8 * (count - bytes.count))
        }
        let high = UInt64(truncatingIfNeeded: now) << 16 | word(random.prefix(2), count: 2) & 0x0FFF | 0x7000
        let low =
            word(random.dropFirst(2).prefix(8), count: 8) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return String(uuidOf: high, low, isCapital: true)
    }
}
