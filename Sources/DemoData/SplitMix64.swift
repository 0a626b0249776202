/// A small generator of numbers that only look random: the same seed gives the same numbers on every machine.
///
/// The algorithm is Sebastiano Vigna's SplitMix64, which is in the public domain.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts from a seed.
    public init(seed: UInt64) { state = seed }

    /// A generator of its own for one thing among many, so that each can be made without those before it.
    init(seed: UInt64, stream: UInt64, index: Int) {
        self.init(seed: seed ^ (stream &* 0x9E37_79B9_7F4A_7C15) ^ (UInt64(index) &* 0xD1B5_4A32_D192_ED03))
        _ = next()
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// A number from 0 up to, but not including, the bound. Foundation's own ways may change between versions.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

    /// A number from 0 up to, but not including, 1.
    mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

    /// One of some texts; the empty text where there are none.
    mutating func pick(_ texts: [String]) -> String { texts.isEmpty ? "" : texts[below(texts.count)] }
}
