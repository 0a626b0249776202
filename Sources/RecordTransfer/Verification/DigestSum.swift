/// Digests of many records as one, whatever the order in which they come: their sum modulo 2^64, for each eight bytes.
public struct DigestSum: Sendable, Hashable, CustomStringConvertible {
    private var lanes: [UInt64] = [0, 0, 0, 0]

    /// The sum of nothing.
    public init() {}

    /// Adds a digest of 32 bytes.
    public mutating func add(_ digest: [UInt8]) {
        assert(digest.count == 32)
        for (index, byte) in digest.enumerated() where index < 32 {
            lanes[index / 8] &+= UInt64(byte) << UInt64(56 - index % 8 * 8)
        }
    }

    public var description: String {
        lanes.map { lane in
            let digits = String(lane, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
