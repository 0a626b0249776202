import CoreMetrics
import Foundation
import RecordEngine
import Synchronization

/// What the server counts about itself.
final class ServerMetrics: Sendable {
    private struct Series {
        var requests: Counter
        var duration: CoreMetrics.Timer
        var items: Counter
        var bytesIn: Counter
        var bytesOut: Counter
    }

    private struct Key: Hashable {
        var route: String
        var status: Int
    }

    private let registry = PrometheusRegistry()
    private let series = Mutex<[Key: Series]>([:])

    /// Counts a request; one series for each route and status.
    func record(_ entry: RequestLog.Entry) {
        let series = series(for: Key(route: entry.route, status: entry.status))
        series.requests.increment()
        series.duration.recordNanoseconds(Int64(entry.duration / .nanoseconds(1)))
        if entry.bytesIn > 0 { series.bytesIn.increment(by: entry.bytesIn) }
        if entry.bytesOut > 0 { series.bytesOut.increment(by: entry.bytesOut) }
        if entry.trace.items > 0 { series.items.increment(by: entry.trace.items) }
    }

    private func series(for key: Key) -> Series {
        series.withLock { known in
            if let series = known[key] { return series }
            let dimensions = [("route", key.route), ("status", String(key.status))]
            let series = Series(
                requests: Counter(label: "stratus_requests_total", dimensions: dimensions, factory: registry),
                duration: CoreMetrics.Timer(
                    label: "stratus_request_duration_seconds", dimensions: [("route", key.route)],
                    preferredDisplayUnit: .seconds, factory: registry),
                items: Counter(
                    label: "stratus_items_total", dimensions: [("route", key.route)], factory: registry),
                bytesIn: Counter(
                    label: "stratus_request_bytes_total", dimensions: [("route", key.route)],
                    factory: registry),
                bytesOut: Counter(
                    label: "stratus_response_bytes_total", dimensions: [("route", key.route)],
                    factory: registry))
            known[key] = series
            return series
        }
    }

    /// All metrics in Prometheus' text format, the process's own among them.
    var text: String {
        if let bytes = Self.residentBytes {
            Meter(label: "process_resident_memory_bytes", dimensions: [], factory: registry).set(bytes)
        }
        return registry.text
    }

    /// The memory that the process holds; known on Linux only.
    private static var residentBytes: Int64? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int64($0) })
        else { return nil }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
