import Foundation
import RecordEngine

extension ServiceEnvironment {
    /// The machine's clock and randomness.
    static let system = ServiceEnvironment(now: { Clock.milliseconds }, random: Random.bytes)
}

/// The machine's clock.
enum Clock {
    /// Milliseconds since 1970.
    static var milliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}

/// The machine's randomness, good enough for secrets.
enum Random {
    /// So many bytes.
    @Sendable static func bytes(_ count: Int) -> [UInt8] {
        // Eight at a time: each number is a call into the kernel.
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
        return Array(bytes.prefix(count))
    }
}
