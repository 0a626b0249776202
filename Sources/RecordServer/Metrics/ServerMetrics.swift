import CoreMetrics
import Foundation
import RecordEngine
import RecordStorage
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
    /// What counters said last that are counted elsewhere.
    private let told = Mutex<[String: Int]>([:])

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

    /// Takes over what the store has left to do.
    private func note(_ work: BackgroundWork) {
        for kind in BackgroundWork.Kind.allCases {
            let dimensions = [("kind", kind.rawValue)]
            Meter(label: "stratus_background_jobs", dimensions: dimensions, factory: registry)
                .set(work.waiting[kind] ?? 0)
        }
        set("stratus_background_records_done", Int64(work.recordsDone))
    }

    /// All metrics in Prometheus' text format, the process's own, the state of the budgets and the store's among them.
    func text(of state: ServerState) -> String {
        for (name, value) in state.store.gauges { set("stratus_store_" + name, Int64(value)) }
        for (name, value) in state.reports.gauges() { set("stratus_" + name, value) }
        note(state.store.backgroundWork)
        if let bytes = Self.residentBytes { set("process_resident_memory_bytes", bytes) }
        set("stratus_open_connections", Int64(state.connections.count))
        set("stratus_open_streams", Int64(state.streams.count))
        set("stratus_incoming_body_bytes", Int64(state.bodies.held))
        set("stratus_working_body_bytes", Int64(state.work.used))
        set("stratus_outgoing_answer_bytes", Int64(state.answers.held))
        set("stratus_outgoing_file_bytes", Int64(state.pieces.held))
        for (name, value) in state.reports.counters() { count("stratus_" + name, value) }
        count("stratus_connections_closed_for_room_total", state.connections.closedForRoom)
        count("stratus_streams_refused_total", state.streams.refused)
        count("stratus_bodies_refused_total", state.bodies.refused)
        count("stratus_slow_takers_cut_off_total", state.answers.cutOff)
        count("stratus_log_lines_lost_total", state.lostLogLines())
        return registry.text
    }

    private func set(_ name: String, _ value: Int64) {
        Meter(label: name, dimensions: [], factory: registry).set(value)
    }

    /// Brings a counter to what was counted elsewhere.
    private func count(_ name: String, _ total: Int) {
        let more = told.withLock { told in
            defer { told[name] = total }
            return total - told[name, default: 0]
        }
        Counter(label: name, dimensions: [], factory: registry).increment(by: Int64(max(0, more)))
    }

    /// The memory that the process holds; known on Linux only.
    private static var residentBytes: Int64? {
        // A system that has no such file gives no figure.
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int64($0) })
        else { return nil }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
