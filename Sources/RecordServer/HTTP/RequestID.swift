/// The id of a request, under which its answer, its errors and its log line can be found.
enum RequestID {
    /// A random UUID (version 4), written by hand because it is made for every request.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return String(unsafeUninitializedCapacity: 36) { buffer in
            var position = 0
            for (word, dashes) in [(high, [32, 16]), (low, [64, 48])] {
                for shift in stride(from: 60, through: 0, by: -4) {
                    if dashes.contains(shift + 4) {
                        buffer[position] = UInt8(ascii: "-")
                        position += 1
                    }
                    let digit = UInt8(truncatingIfNeeded: word >> UInt64(shift)) & 15
                    buffer[position] = digit < 10 ? 0x30 + digit : 0x61 + digit - 10
                    position += 1
                }
            }
            return position
        }
    }
}
