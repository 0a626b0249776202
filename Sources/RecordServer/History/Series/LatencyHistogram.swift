/// How many requests took how long, in ranges that grow with the duration: eight to each doubling, so that a
/// percentile is wrong by 6 % at most. From 1 µs to two minutes; longer ones count as the longest.
enum LatencyHistogram {
    /// How many ranges there are.
    static let ranges = 200
    private static let longest: UInt64 = 1 << 27 - 1

    /// The range of a duration in microseconds.
    static func range(of microseconds: UInt64) -> Int {
        let value = min(microseconds, longest)
        guard value >= 8 else { return Int(value) }
        let octave = 63 - value.leadingZeroBitCount
        return (octave - 2) * 8 + Int(value >> UInt64(octave - 3)) & 7
    }

    /// The middle of a range in microseconds.
    static func middle(of range: Int) -> Double {
        guard range >= 8 else { return Double(range) + 0.5 }
        let width = Double(UInt64(1) << UInt64(range / 8 - 1))
        return (Double(8 + range % 8) + 0.5) * width
    }

    /// The duration in milliseconds that a share of all counted requests did not exceed; nil without requests.
    static func percentile(_ share: Double, of counts: some Collection<UInt32>) -> Double? {
        let total = counts.reduce(into: UInt64(0)) { $0 += UInt64($1) }
        guard total > 0 else { return nil }
        let rank = max(1, UInt64((share * Double(total)).rounded(.up)))
        var seen: UInt64 = 0
        for (range, count) in counts.enumerated() {
            seen += UInt64(count)
            if seen >= rank { return middle(of: range) / 1_000 }
        }
        return nil
    }
}
