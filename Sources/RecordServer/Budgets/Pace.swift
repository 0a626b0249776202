/// How fast something moves of late: over the last two to four seconds, so that who was fast once and stopped counts
/// as slow soon.
struct Pace {
    private static let window = Duration.seconds(2)
    /// Over less than this nothing can be told.
    private static let shortest = Duration.milliseconds(200)

    private var windowStart: ContinuousClock.Instant
    private var bytes = 0
    /// Of the window before; nil in the first one.
    private var bytesBefore: Int?

    init(at now: ContinuousClock.Instant) { windowStart = now }

    /// Notes that so many bytes moved.
    mutating func add(_ count: Int, at now: ContinuousClock.Instant) {
        let elapsed = now - windowStart
        if elapsed >= Self.window {
            bytesBefore = elapsed < Self.window * 2 ? bytes : 0
            bytes = 0
            windowStart = now
        }
        bytes += count
    }

    /// Bytes a second.
    func rate(at now: ContinuousClock.Instant) -> Double {
        let elapsed = max(now - windowStart, Self.shortest)
        guard let bytesBefore else { return Double(bytes) / (elapsed / .seconds(1)) }
        return Double(bytes + bytesBefore) / ((elapsed + Self.window) / .seconds(1))
    }
}
