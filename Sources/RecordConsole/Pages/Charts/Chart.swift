import Foundation

/// A chart as numbers of an SVG, which the template `chart` writes; words stand beside it in HTML, so that they
/// keep their size on a phone.
struct Chart {
    /// One line or area.
    struct Line {
        var name: String
        /// The class that gives it its look.
        var look: String
        var values: [Double?]
    }

    var title: String
    var unit: String
    var lines: [Line]
    /// Whether the values are drawn as areas, each upon those before it, or as lines.
    var isStacked: Bool
    /// What the pointer shows at each point.
    var hints: [String]

    private static let width = 720.0
    private static let height = 180.0

    /// The least round number that is not below a value: 1, 2 or 5 times a power of ten.
    static func roundedUp(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return 1 }
        let power = pow(10, log10(value).rounded(.down))
        // A rest of the arithmetic must not make 2 to 5.
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= value * 0.999_999 } ?? value
    }

    static func number(_ value: Double) -> String {
        value >= 100 || value == value.rounded()
            ? String(format: "%.0f", value) : String(format: "%.3g", value)
    }

    var model: ChartModel {
        let count = max(1, hints.count)
        let highest = isStacked ? sums.max() : lines.flatMap(\.values).compactMap(\.self).max()
        let top = Self.roundedUp(highest ?? 0)
        let step = Self.width / Double(count)
        return ChartModel(
            title: title, unit: unit, top: Self.number(top), middle: Self.number(top / 2),
            width: Int(Self.width), height: Int(Self.height), shapes: shapes(top: top, step: step),
            legend: lines.map { ChartModel.Key(name: $0.name, look: $0.look) },
            hits: hints.enumerated().map { index, hint in
                ChartModel.Hit(x: Self.text(Double(index) * step), width: Self.text(step), hint: hint)
            })
    }

    private var sums: [Double] {
        hints.indices.map { index in lines.reduce(0) { $0 + ($1.values[index] ?? 0) } }
    }

    private func shapes(top: Double, step: Double) -> [ChartModel.Shape] {
        func y(_ value: Double) -> Double { Self.height * (1 - value / top) }
        var base = [Double](repeating: 0, count: hints.count)
        return lines.map { line in
            guard isStacked else {
                return .init(look: line.look, path: Self.path(line.values.map { $0.map(y) }, step))
            }
            let values = zip(base, line.values).map { $0 + ($1 ?? 0) }
            defer { base = values }
            return .init(look: line.look, path: Self.area(from: base.map(y), to: values.map(y), step))
        }
    }

    /// A line of steps, broken where there is no value.
    private static func path(_ values: [Double?], _ step: Double) -> String {
        var path = ""
        var isDrawing = false
        for (index, value) in values.enumerated() {
            if let value {
                let start = text(Double(index) * step)
                path += "\(isDrawing ? "L" : "M")\(start) \(text(value))H\(text(Double(index + 1) * step))"
            }
            isDrawing = value != nil
        }
        return path
    }

    /// Steps there along the upper edge and back along the lower one.
    private static func area(from low: [Double], to high: [Double], _ step: Double) -> String {
        // Nothing between the edges is nothing to draw, and most errors are none.
        guard zip(low, high).contains(where: { $0 != $1 }) else { return "" }
        var path = "M0 \(text(low.first ?? 0))"
        for (index, value) in high.enumerated() {
            path += "V\(text(value))H\(text(Double(index + 1) * step))"
        }
        for (index, value) in low.enumerated().reversed() {
            path += "V\(text(value))H\(text(Double(index) * step))"
        }
        return path + "Z"
    }

    private static func text(_ value: Double) -> String {
        value == value.rounded() ? String(Int(value)) : String(format: "%.1f", value)
    }
}
