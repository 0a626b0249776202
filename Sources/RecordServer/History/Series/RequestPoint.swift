/// What came in during one stretch of time: a point of a chart.
public struct RequestPoint: Sendable, Hashable {
    /// When the stretch begins, in milliseconds since 1970.
    public var start: Int64
    /// How long it is, in milliseconds.
    public var length: Int64
    /// Requests that were answered with a status below 400.
    public var succeeded = 0
    /// Requests that were refused: 4xx.
    public var refused = 0
    /// Requests that the service failed at: 5xx.
    public var failed = 0
    /// The bytes of all bodies that came in, and of all answers.
    public var bytesIn: UInt64 = 0
    public var bytesOut: UInt64 = 0
    /// Durations in milliseconds that a half, 95 % and 99 % of the requests did not exceed, within 6.25 %; nil
    /// without requests.
    public var p50: Double?
    public var p95: Double?
    public var p99: Double?
    /// The requests by endpoint.
    public var routes: [String: Int] = [:]

    /// All requests.
    public var count: Int { succeeded + refused + failed }
    /// Requests in a second.
    public var rate: Double { Double(count) * 1_000 / Double(max(1, length)) }

    /// A stretch without requests.
    init(start: Int64, length: Int64) {
        self.start = start
        self.length = length
    }
}

/// How far back a chart looks.
public enum RequestSpan: String, Sendable, CaseIterable {
    /// An hour in stretches of ten seconds.
    case hour
    /// A day in minutes.
    case day
    /// A week in stretches of ten minutes.
    case week

    /// The length of one stretch in milliseconds.
    public var resolution: Int64 {
        switch self {
        case .hour: 10_000
        case .day: 60_000
        case .week: 600_000
        }
    }

    /// The number of stretches.
    public var count: Int {
        switch self {
        case .hour: 360
        case .day: 1_440
        case .week: 1_008
        }
    }
}
