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
        var model: [String: Any] = [
            "spans": RequestSpan.allCases.map { other in
                [
                    "name": other.rawValue, "isCurrent": other == span,
                    "href": "/console/charts?\(ours ?? "")span=\(other.rawValue)",
                ] as [String: Any]
            },
            "tenant": tenant.map { "\($0.container), \($0.environment.rawValue)" } as Any,
            "everywhere": "/console/charts?span=\(span.rawValue)",
            "failedHref": requests("status", "5"), "refusedHref": requests("status", "4"),
            "span": span.rawValue, "charts": all(points, span).map(\.model), "marks": marks(span),
            "rows": history.points(span, now: now, grouping: grouping(span).table, of: tenant).reversed().map(
                row),
            "isEmpty": total.count == 0, "count": total.count, "refused": total.refused,
            "failed": total.failed, "bytesIn": NumberText.bytes(Int64(clamping: total.bytesIn)),
            "bytesOut": NumberText.bytes(Int64(clamping: total.bytesOut)),
            "routes": routes.map {
                ["name": $0.key, "count": $0.value, "href": requests("route", $0.key)]
            },
            "hasRoutes": !routes.isEmpty,
        ]
        for (name, value) in [("p50", total.p50), ("p95", total.p95), ("p99", total.p99)] {
            model[name] = value.map(RequestModels.duration) ?? "–"
        }
        return context.page("charts", title: "Charts", section: .charts, model)
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
        func duration(_ value: Double?) -> String { value.map(RequestModels.duration) ?? "–" }
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

    private static func row(_ point: RequestPoint) -> [String: Any] {
        [
            "from": Model.time(point.start), "count": point.count, "rate": Chart.number(point.rate),
            "refused": point.refused, "failed": point.failed,
            "p50": point.p50.map(RequestModels.duration) ?? "–",
            "p95": point.p95.map(RequestModels.duration) ?? "–",
            "p99": point.p99.map(RequestModels.duration) ?? "–",
            "bytesOut": NumberText.bytes(Int64(clamping: point.bytesOut)),
        ]
    }

    /// The time of day, with the date where the span has more than one.
    private static func clock(_ milliseconds: Int64, _ span: RequestSpan) -> String {
        let text = Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
        let time = text.dropFirst(11).prefix(span == .hour ? 8 : 5)
        return span == .hour ? String(time) : "\(text.prefix(10)) \(time)"
    }
}
