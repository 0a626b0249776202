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
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
