import Foundation
import RecordModel
import RecordServer

/// How many requests came over time, how long they took and how many failed.
enum ChartPages {
    static let routes: [Route] = [.get("/charts", charts)]

    /// The points of a chart and the rows of a table, in stretches of the span's resolution.
    private static func grouping(_ span: RequestSpan) -> (chart: Int, table: Int) {
        switch span {
        case .hour: (3, 30)
        case .day: (10, 120)
        case .week: (6, 144)
        }
    }

    @Sendable private static func charts(_ context: ConsoleContext) async throws -> SiteAnswer {
        let span = context.query["span"].flatMap(RequestSpan.init) ?? .hour
        let history = context.console.history
        let now = context.now
        let tenant = tenant(context.query)
        let points = history.points(span, now: now, grouping: grouping(span).chart, of: tenant)
        let total = history.total(span, now: now, of: tenant)
        let ours = tenant.map { tenant in
            "container=\(FormValues.encoded(tenant.container.rawValue))&environment=\(tenant.environment.rawValue)&"
        }
        func requests(_ name: String, _ value: String) -> String {
            "/console/requests?\(ours ?? "")\(name)=\(FormValues.encoded(value))"
        }
        let routes = total.routes.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
        let rows = history.points(span, now: now, grouping: grouping(span).table, of: tenant)
        let page = ChartsPage(
            spans: RequestSpan.allCases.map { other in
                ChartsPage.Span(
                    name: other.rawValue, isCurrent: other == span,
                    href: "/console/charts?\(ours ?? "")span=\(other.rawValue)")
            },
            tenant: tenant.map { "\($0.container), \($0.environment.rawValue)" },
            everywhere: "/console/charts?span=\(span.rawValue)", failedHref: requests("status", "5"),
            refusedHref: requests("status", "4"), charts: all(points, span).map(\.model), marks: marks(span),
            rows: rows.reversed().map(row), count: total.count, refused: total.refused, failed: total.failed,
            bytesIn: NumberText.bytes(Int64(clamping: total.bytesIn)),
            bytesOut: NumberText.bytes(Int64(clamping: total.bytesOut)), p50: duration(total.p50),
            p95: duration(total.p95), p99: duration(total.p99),
            routes: routes.map {
                ChartsPage.Route(name: $0.key, count: $0.value, href: requests("route", $0.key))
            },
            hasRoutes: !routes.isEmpty)
        return context.page(page, title: "Charts", section: .charts)
    }

    /// Whose requests the address means; nil for everybody's.
    private static func tenant(_ query: FormValues) -> Tenant? {
        guard let container = query["container"].flatMap({ try? ContainerID($0) }),
            let environment = query["environment"].flatMap(CloudEnvironment.init)
        else { return nil }
        return Tenant(container: container, environment: environment)
    }

    private static func all(_ points: [RequestPoint], _ span: RequestSpan) -> [Chart] {
        let times = points.map { "\(clock($0.start, span)) UTC" }
        func hints(_ words: (RequestPoint) -> String) -> [String] {
            zip(times, points).map { "\($0): \(words($1))" }
        }
        return [
            Chart(
                title: "Requests", unit: "a second",
                lines: [.init(name: "requests", look: "all", values: points.map(\.rate))], isStacked: true,
                hints: hints { "\(Chart.number($0.rate)) a second, \($0.count) in all" }),
            Chart(
                title: "Latency", unit: "ms",
                lines: [
                    .init(name: "50 % are faster than", look: "half", values: points.map(\.p50)),
                    .init(name: "95 %", look: "most", values: points.map(\.p95)),
                    .init(name: "99 %", look: "nearly-all", values: points.map(\.p99)),
                ], isStacked: false,
                hints: hints {
                    "50 % \(duration($0.p50)), 95 % \(duration($0.p95)), 99 % \(duration($0.p99))"
                }),
            Chart(
                title: "Errors", unit: "requests",
                lines: [
                    .init(name: "failed (5xx)", look: "failed", values: points.map { Double($0.failed) }),
                    .init(name: "refused (4xx)", look: "refused", values: points.map { Double($0.refused) }),
                ], isStacked: true, hints: hints { "\($0.failed) failed, \($0.refused) refused" }),
        ]
    }

    /// What is below a chart.
    private static func marks(_ span: RequestSpan) -> [String] {
        switch span {
        case .hour: ["1 hour ago", "30 minutes", "now"]
        case .day: ["1 day ago", "12 hours", "now"]
        case .week: ["7 days ago", "3½ days", "now"]
        }
    }

    private static func row(_ point: RequestPoint) -> ChartsPage.Row {
        ChartsPage.Row(
            from: TimeModel(point.start), count: point.count, rate: Chart.number(point.rate),
            refused: point.refused, failed: point.failed, p50: duration(point.p50), p95: duration(point.p95),
            p99: duration(point.p99), bytesOut: NumberText.bytes(Int64(clamping: point.bytesOut)))
    }

    private static func duration(_ value: Double?) -> String { value.map(RequestModels.duration) ?? "–" }

    /// The time of day, with the date where the span has more than one.
    private static func clock(_ milliseconds: Int64, _ span: RequestSpan) -> String {
        let text = Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
        let time = text.dropFirst(11).prefix(span == .hour ? 8 : 5)
        return span == .hour ? String(time) : "\(text.prefix(10)) \(time)"
    }
}
