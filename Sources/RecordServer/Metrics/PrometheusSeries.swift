import CoreMetrics
import Synchronization

/// A number that only grows.
final class PrometheusCounter: CounterHandler, Sendable {
    private let count = Atomic<Int64>(0)

    var value: Int64 { count.load(ordering: .relaxed) }

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }

    func reset() { count.store(0, ordering: .relaxed) }
}

/// A number that goes up and down.
final class PrometheusGauge: MeterHandler, Sendable {
    private let number = Mutex(0.0)

    var value: Double { number.withLock { $0 } }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { number.withLock { $0 = value } }
    func increment(by amount: Double) { number.withLock { $0 += amount } }
    func decrement(by amount: Double) { number.withLock { $0 -= amount } }
}

/// How often values fell into each of a few ranges; durations are kept in seconds.
final class PrometheusHistogram: RecorderHandler, TimerHandler, Sendable {
    private struct State {
        var counts = [Int64](repeating: 0, count: PrometheusHistogram.bounds.count + 1)
        var sum = 0.0
    }

    /// The upper ends of the ranges.
    static let bounds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private let state = Mutex(State())

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let range = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.counts[range] += 1
            state.sum += value
        }
    }

    func lines(label: String, dimensions: String) -> String {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        let comma = dimensions.isEmpty ? "" : ","
        var text = ""
        var total: Int64 = 0
        for (count, bound) in zip(counts, Self.bounds.map(\.description) + ["+Inf"]) {
            total += count
            text += "\(label)_bucket{\(dimensions)\(comma)le=\"\(bound)\"} \(total)\n"
        }
        text += "\(label)_sum\(dimensions.braced) \(sum)\n"
        text += "\(label)_count\(dimensions.braced) \(total)\n"
        return text
    }
}
