import Synchronization

/// The id of a request, under which its answer, its errors and its log line can be found.
enum RequestID {
    private static let seed = UInt64.random(in: .min ... .max)
    private static let count = Atomic<UInt64>(0)

    /// A UUID (version 4), unique but no secret: a count, mixed with a number that this process drew. Asking
    /// the system for randomness would cost each request a call into the kernel.
    static func make() -> String {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        let high = mixed(seed &+ number &* 2) & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = mixed(seed &+ number &* 2 &+ 1) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
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

    /// SplitMix64's mixing step: a bijection, so different numbers stay different.
    private static func mixed(_ number: UInt64) -> UInt64 {
        var z = number &* 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
