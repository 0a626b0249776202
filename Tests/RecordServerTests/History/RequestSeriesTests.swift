import TestSupport
import Testing

@testable import RecordServer

/// The time series counts what a list of all requests would tell.
@Suite struct RequestSeriesTests {
    /// What a list says about one stretch: the requests of it that came after another stretch had its place.
    private static func expected(
        _ samples: [RequestSeries.Sample], _ number: Int64, _ span: RequestSpan
    ) -> [RequestSeries.Sample] {
        let count = Int64(span.count)
        var found: [RequestSeries.Sample] = []
        for sample in samples {
            let other = sample.time / span.resolution
            if other == number { found.append(sample) } else if other % count == number % count { found = [] }
        }
        return found
    }

    /// A clock that mostly goes on, at times stands, leaps or is set back.
    private static func step(_ random: inout Random) -> Int64 {
        switch random.int(1...20) {
        case 1: Int64(random.int(0...8 * 86_400_000))
        case 2: -Int64(random.int(0...8 * 86_400_000))
        case 3...8: 0
        case 9...12: Int64(random.int(0...900_000))
        default: Int64(random.int(0...12_000))
        }
    }

    @Test(arguments: Seed.some(12)) func countsAsAListDoes(_ seed: Seed) {
        var random = seed.random
        var series = RequestSeries()
        var samples: [RequestSeries.Sample] = []
        var time: Int64 = 1_700_000_000_000
        for _ in 0..<600 {
            time = max(0, time + Self.step(&random))
            let sample = RequestSeries.Sample(
                time: time, status: random.pick(SomeRequests.statuses, else: 200),
                route: random.pick(SomeRequests.routes, else: ""),
                microseconds: UInt64(random.int(0...200_000_000) >> random.int(0...27)),
                bytesIn: UInt64(random.int(0...100)), bytesOut: UInt64(random.int(0...100)))
            series.record(sample)
            samples.append(sample)
        }
        let now = max(0, time + Self.step(&random))
        for span in RequestSpan.allCases {
            let last = now / span.resolution
            Self.check(
                series.total(span, now: now),
                (max(0, last - Int64(span.count) + 1)...last).flatMap { Self.expected(samples, $0, span) })
            let grouping = random.int(1...12)
            let points = series.points(span, now: now, grouping: grouping)
            #expect(points.last.map { $0.start <= now && now < $0.start + $0.length } == true)
            #expect(points.count <= span.count / grouping)
            for (before, after) in zip(points, points.dropFirst()) {
                #expect(before.start + before.length == after.start)
            }
            for point in points {
                let first = point.start / span.resolution
                let stretches = (first..<first + point.length / span.resolution).filter {
                    $0 * span.resolution <= now
                }
                Self.check(point, stretches.flatMap { Self.expected(samples, $0, span) })
            }
        }
    }

    private static func check(_ point: RequestPoint, _ samples: [RequestSeries.Sample]) {
        #expect(point.count == samples.count)
        #expect(point.succeeded == samples.count { $0.status < 400 })
        #expect(point.refused == samples.count { $0.status / 100 == 4 })
        #expect(point.failed == samples.count { $0.status >= 500 })
        #expect(point.bytesIn == samples.reduce(0) { $0 + $1.bytesIn })
        #expect(point.bytesOut == samples.reduce(0) { $0 + $1.bytesOut })
        #expect(point.routes == Dictionary(samples.map { ($0.route, 1) }, uniquingKeysWith: +))
        let sorted = samples.map(\.microseconds).sorted()
        for (share, found) in [(0.5, point.p50), (0.95, point.p95), (0.99, point.p99)] {
            guard let last = sorted.last else {
                #expect(found == nil)
                continue
            }
            let exact = sorted[max(1, Int((share * Double(sorted.count)).rounded(.up))) - 1]
            let wanted = Double(min(exact, 1 << 27)) / 1_000
            let found = found ?? -1
            #expect(abs(found - wanted) <= wanted * 0.0625 + 0.000_51, "\(found) \(wanted) of \(last)")
        }
    }

    @Test func coversAllDurations() {
        var last = -1
        for microseconds in 0..<100_000 as Range<UInt64> {
            let range = LatencyHistogram.range(of: microseconds)
            #expect(range == last || range == last + 1)
            last = range
            let middle = LatencyHistogram.middle(of: range)
            #expect(abs(middle - Double(microseconds)) <= max(0.5, Double(microseconds) / 16))
        }
        #expect(LatencyHistogram.range(of: .max) == LatencyHistogram.ranges - 1)
    }

    @Test func countsFurtherRoutesTogether() {
        var series = RequestSeries()
        for number in 0..<60 {
            series.record(
                RequestSeries.Sample(
                    time: 0, status: 200, route: "route \(number)", microseconds: 1, bytesIn: 0, bytesOut: 0))
        }
        let routes = series.points(.hour, now: 0, grouping: 1).last?.routes ?? [:]
        #expect(routes.count == RequestSeries.Layout.routes)
        #expect(routes[RequestSeries.otherRoutes] == 60 - (RequestSeries.Layout.routes - 1))
    }

    @Test(arguments: [Int64.min, -1, 0, 1, Int64.max / 2]) func takesAnyTime(_ time: Int64) {
        var series = RequestSeries()
        series.record(
            RequestSeries.Sample(
                time: time, status: 200, route: "r", microseconds: 1, bytesIn: 0, bytesOut: 0))
        for span in RequestSpan.allCases {
            #expect(series.points(span, now: time, grouping: 1).reduce(0) { $0 + $1.count } == 1)
        }
    }
}
