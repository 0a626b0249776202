/// Counts and durations of requests over the last hour, day and week, in space that does not grow with them.
struct RequestSeries: Sendable {
    /// What is counted of a request.
    struct Sample: Sendable {
        var time: Int64
        var status: Int
        var route: String
        var microseconds: UInt64
        var bytesIn: UInt64
        var bytesOut: UInt64
    }

    /// Where the counts of a stretch stand in its array.
    enum Layout {
        static let classes = 3
        static let routes = 24
        static let latency = classes + routes
        static let count = latency + LatencyHistogram.ranges
    }

    /// One stretch of time; its counts are allocated when its first request comes.
    struct Slot: Sendable {
        /// Which stretch since 1970 this is; -1 for none.
        var number: Int64 = -1
        var counts: [UInt32] = []
        var bytesIn: UInt64 = 0
        var bytesOut: UInt64 = 0
    }

    /// The endpoints in the order of their first requests; the last position is for all that came later.
    private(set) var routes: [String] = []
    private(set) var levels = RequestSpan.allCases.map { [Slot](repeating: Slot(), count: $0.count) }
    private static let spans = RequestSpan.allCases

    static let otherRoutes = "other"

    /// Counts a request into the stretches that its time lies in.
    ///
    /// A slot belongs to whatever stretch was counted last: after the clock was set back, what it had counted
    /// of the future gives way.
    mutating func record(_ sample: Sample) {
        let kind = sample.status >= 500 ? 2 : sample.status >= 400 ? 1 : 0
        let route = Layout.classes + place(of: sample.route)
        let latency = Layout.latency + LatencyHistogram.range(of: sample.microseconds)
        for level in levels.indices {
            let span = Self.spans[level]
            let number = Self.number(of: sample.time, span.resolution)
            let index = Self.index(of: number, span.count)
            levels[level][index].add(sample, in: number, kind, route, latency)
        }
    }

    /// Which stretch a time lies in; times before 1970 lie in the first.
    static func number(of time: Int64, _ resolution: Int64) -> Int64 { max(0, time) / resolution }

    static func index(of number: Int64, _ count: Int) -> Int { Int(number % Int64(count)) }

    private mutating func place(of route: String) -> Int {
        for index in routes.indices where routes[index] == route { return index }
        guard routes.count < Layout.routes - 1 else { return Layout.routes - 1 }
        routes.append(route)
        return routes.count - 1
    }

    /// The points of a chart that ends now, oldest first; stretches without requests are zeros.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970; what was counted of a later time is not shown.
    ///   - grouping: how many stretches make one point. Points begin at multiples of their length, so they
    ///     stay where they are while the chart moves on.
    func points(_ span: RequestSpan, now: Int64, grouping: Int) -> [RequestPoint] {
        let now = max(0, now)
        let group = Int64(min(max(1, grouping), span.count))
        let last = Self.number(of: now, span.resolution) / group
        let first = max(0, last - Int64(span.count) / group + 1)
        let level = levels[Self.spans.firstIndex(of: span) ?? 0]
        return (first...last).map { number in
            let stretches = number * group..<(number + 1) * group
            let slots = stretches.lazy
                .filter { $0 * span.resolution <= now }
                .map { (level[Self.index(of: $0, span.count)], $0) }
                .filter { $0.0.number == $0.1 }.map(\.0)
            return point(
                RequestPoint(start: number * group * span.resolution, length: group * span.resolution),
                adding: Array(slots))
        }
    }

    /// All of a chart that ends now as one point.
    func total(_ span: RequestSpan, now: Int64) -> RequestPoint {
        let now = max(0, now)
        let last = Self.number(of: now, span.resolution)
        let first = max(0, last - Int64(span.count) + 1)
        let level = levels[Self.spans.firstIndex(of: span) ?? 0]
        return point(
            RequestPoint(start: first * span.resolution, length: max(1, now - first * span.resolution)),
            adding: level.filter { (first...last).contains($0.number) })
    }

    private func point(_ empty: RequestPoint, adding slots: [Slot]) -> RequestPoint {
        guard !slots.isEmpty else { return empty }
        var point = empty
        var counts = [UInt32](repeating: 0, count: Layout.count)
        for slot in slots {
            point.bytesIn &+= slot.bytesIn
            point.bytesOut &+= slot.bytesOut
            for index in slot.counts.indices where slot.counts[index] > 0 {
                let (sum, overflow) = counts[index].addingReportingOverflow(slot.counts[index])
                counts[index] = overflow ? .max : sum
            }
        }
        point.succeeded = Int(counts[0])
        point.refused = Int(counts[1])
        point.failed = Int(counts[2])
        for index in 0..<Layout.routes where counts[Layout.classes + index] > 0 {
            let name = index < routes.count ? routes[index] : Self.otherRoutes
            point.routes[name, default: 0] += Int(counts[Layout.classes + index])
        }
        let latencies = counts[Layout.latency...]
        point.p50 = LatencyHistogram.percentile(0.50, of: latencies)
        point.p95 = LatencyHistogram.percentile(0.95, of: latencies)
        point.p99 = LatencyHistogram.percentile(0.99, of: latencies)
        return point
    }
}

extension RequestSeries.Slot {
    /// FairQueue to another stretch, with the memory of the old one.
    mutating func begin(_ number: Int64) {
        self.number = number
        bytesIn = 0
        bytesOut = 0
        if counts.isEmpty {
            counts = [UInt32](repeating: 0, count: RequestSeries.Layout.count)
        } else {
            for index in counts.indices { counts[index] = 0 }
        }
    }

    /// Counts a request of a stretch at three of its positions.
    mutating func add(
        _ sample: RequestSeries.Sample, in number: Int64, _ kind: Int, _ route: Int, _ latency: Int
    ) {
        if self.number != number { begin(number) }
        increment(kind)
        increment(route)
        increment(latency)
        bytesIn &+= sample.bytesIn
        bytesOut &+= sample.bytesOut
    }

    private mutating func increment(_ place: Int) {
        if counts[place] < .max { counts[place] += 1 }
    }
}

// What is written to the file: the slots that hold something, and of these the counts that are not 0.
extension RequestSeries {
    func write(to writer: inout ByteWriter) {
        writer.number(UInt64(routes.count))
        for route in routes { writer.text(route) }
        for level in levels {
            let used = level.filter { $0.number >= 0 }
            writer.number(UInt64(used.count))
            for slot in used {
                writer.number(UInt64(slot.number))
                writer.number(slot.bytesIn)
                writer.number(slot.bytesOut)
                let places = slot.counts.indices.filter { slot.counts[$0] > 0 }
                writer.number(UInt64(places.count))
                for place in places {
                    writer.number(UInt64(place))
                    writer.number(UInt64(slot.counts[place]))
                }
            }
        }
    }

    /// - Throws: ``DamagedHistory`` for bytes that no series has.
    init(from reader: inout ByteReader) throws(DamagedHistory) {
        for _ in 0..<(try reader.count(upTo: Layout.routes - 1)) { routes.append(try reader.text()) }
        for (level, span) in Self.spans.enumerated() {
            for _ in 0..<(try reader.count(upTo: span.count)) {
                let number = try reader.number()
                guard number < UInt64(Int64.max) / UInt64(span.resolution) else { throw DamagedHistory() }
                let index = Self.index(of: Int64(number), span.count)
                levels[level][index].begin(Int64(number))
                levels[level][index].bytesIn = try reader.number()
                levels[level][index].bytesOut = try reader.number()
                for _ in 0..<(try reader.count(upTo: Layout.count)) {
                    let place = try reader.count(upTo: Layout.count - 1)
                    levels[level][index].counts[place] = UInt32(clamping: try reader.number())
                }
            }
        }
    }
}
