public import CoreMetrics
import Synchronization

/// A back end of swift-metrics that keeps every metric in memory and writes them in Prometheus' text format.
///
/// The number of series is bounded, so that no label can use up the memory; the program's own labels are
/// few (routes and codes, never addresses).
public final class PrometheusRegistry: MetricsFactory, Sendable {
    struct Key: Hashable {
        var label: String
        var dimensions: String
    }

    private struct State {
        var counters: [Key: PrometheusCounter] = [:]
        var gauges: [Key: PrometheusGauge] = [:]
        var histograms: [Key: PrometheusHistogram] = [:]
    }

    private let state = Mutex(State())

    /// The most series of each kind; further ones are counted nowhere.
    static let capacity = 2_000

    /// Makes an empty registry.
    public init() {}

    private func key(_ label: String, _ dimensions: [(String, String)]) -> Key {
        Key(
            label: label.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined(),
            dimensions: dimensions.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ","))
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "\\", "\"": result += "\\\(character)"
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let key = key(label, dimensions)
        return state.withLock { state in
            if let counter = state.counters[key] { return counter }
            let counter = PrometheusCounter()
            if state.counters.count < Self.capacity { state.counters[key] = counter }
            return counter
        }
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        let key = key(label, dimensions)
        return state.withLock { state in
            if let gauge = state.gauges[key] { return gauge }
            let gauge = PrometheusGauge()
            if state.gauges.count < Self.capacity { state.gauges[key] = gauge }
            return gauge
        }
    }

    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler { histogram(label, dimensions) }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions)
    }

    private func histogram(_ label: String, _ dimensions: [(String, String)]) -> PrometheusHistogram {
        let key = key(label, dimensions)
        return state.withLock { state in
            if let histogram = state.histograms[key] { return histogram }
            let histogram = PrometheusHistogram()
            if state.histograms.count < Self.capacity { state.histograms[key] = histogram }
            return histogram
        }
    }

    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// All metrics in the text format, version 0.0.4.
    public var text: String {
        let (counters, gauges, histograms) = state.withLock { ($0.counters, $0.gauges, $0.histograms) }
        var text = ""
        func section<Value>(
            _ values: [Key: Value], _ kind: String, _ lines: (String, String, Value) -> String
        ) {
            for (label, group) in Dictionary(grouping: values, by: \.key.label).sorted(by: { $0.key < $1.key }
            ) {
                text += "# TYPE \(label) \(kind)\n"
                for (key, value) in group.sorted(by: { $0.key.dimensions < $1.key.dimensions }) {
                    text += lines(label, key.dimensions, value)
                }
            }
        }
        section(counters, "counter") { "\($0)\($1.braced) \($2.value)\n" }
        section(gauges, "gauge") { "\($0)\($1.braced) \($2.value)\n" }
        section(histograms, "histogram") { label, dimensions, histogram in
            histogram.lines(label: label, dimensions: dimensions)
        }
        return text
    }
}

extension String {
    /// The dimensions of a series in their braces.
    var braced: String { isEmpty ? "" : "{\(self)}" }
}
