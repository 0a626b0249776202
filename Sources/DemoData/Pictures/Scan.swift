import Foundation

/// Walks the inside of a path row by row, as runs of pixels that are covered alike.
struct Scan {
    /// Coverage has so many steps, and each row is cut by as many lines.
    static let levels = 4

    /// Some pixels of one row.
    struct Run {
        var row: Int
        var from: Int
        var count: Int
        /// 1 to ``Scan/levels``.
        var level: Int
    }

    private struct Edge {
        var top: Double
        var bottom: Double
        var x: Double
        var slope: Double
        var winding: Int
    }

    private struct Crossing {
        var x: Double
        var winding: Int
    }

    private struct Span {
        var left: Double
        var right: Double
    }

    private let width: Int
    private let edges: [Edge]
    private var nextEdge = 0
    private var active: [Edge] = []
    private var row: Int
    private let lastRow: Int
    private var runs: [Run] = []
    private var nextRun = 0
    private var crossings: [Crossing] = []
    private var spans: [Span] = []
    /// For the row at hand: what partly covered pixels have, and where full coverage begins and ends.
    private var partial: [Double]
    private var change: [Double]

    init(_ path: Path, scale: Double, width: Int, height: Int) {
        self.width = width
        var edges: [Edge] = []
        for contour in path.contours {
            var from = (contour.last ?? .zero) * scale
            for point in contour {
                let to = point * scale
                if from.y != to.y {
                    let (upper, lower) = from.y < to.y ? (from, to) : (to, from)
                    edges.append(
                        Edge(
                            top: upper.y, bottom: lower.y, x: upper.x,
                            slope: (lower.x - upper.x) / (lower.y - upper.y), winding: from.y < to.y ? 1 : -1)
                    )
                }
                from = to
            }
        }
        self.edges = edges.sorted { $0.top < $1.top }
        row = max(0, Int((self.edges.first?.top ?? 0).rounded(.down)))
        lastRow = min(height - 1, Int((edges.map(\.bottom).max() ?? -1).rounded(.up)))
        partial = [Double](repeating: 0, count: width + 2)
        change = partial
    }

    /// The next run, from top to bottom and from left to right.
    mutating func next() -> Run? {
        while nextRun == runs.count {
            guard row <= lastRow else { return nil }
            runs.removeAll(keepingCapacity: true)
            nextRun = 0
            scanRow()
            row += 1
        }
        nextRun += 1
        return runs[nextRun - 1]
    }

    private mutating func scanRow() {
        var low = width
        var high = -1
        // Where all lines of the row agree, pixels need not be looked at one by one.
        var solidFrom = 0
        var solidTo = width
        for line in 0..<Self.levels {
            let y = Double(row) + (Double(line) + 0.5) / Double(Self.levels)
            findSpans(at: y)
            if spans.count != 1 { solidTo = 0 }
            for span in spans where span.right > span.left {
                let (left, right) = (span.left, span.right)
                let (first, last) = (Int(left), Int(right))
                solidFrom = max(solidFrom, first + 1)
                solidTo = min(solidTo, last)
                low = min(low, first)
                high = max(high, last)
                if first == last {
                    partial[first] += right - left
                } else {
                    partial[first] += Double(first + 1) - left
                    partial[last] += right - Double(last)
                    change[first + 1] += 1
                    change[last] -= 1
                }
            }
        }
        guard low <= high else { return }
        collect(low, min(high, width - 1), solidFrom, solidTo)
        // Inside the solid run nothing was written.
        let (gap, end) = solidTo > solidFrom ? (solidFrom, solidTo) : (high + 1, high + 1)
        clear(low, min(gap, high + 1))
        clear(min(end, high + 1), high + 1)
    }

    private mutating func clear(_ first: Int, _ last: Int) {
        var index = first
        while index <= last {
            partial[index] = 0
            change[index] = 0
            index += 1
        }
    }

    private mutating func collect(_ low: Int, _ high: Int, _ solidFrom: Int, _ solidTo: Int) {
        var full = 0.0
        var index = low
        while index <= high {
            if index == solidFrom, solidTo > solidFrom {
                runs.append(Run(row: row, from: index, count: solidTo - index, level: Self.levels))
                full = Double(Self.levels)
                index = solidTo
                if index > high { break }
            }
            full += change[index]
            let level = min(Self.levels, Int((full + partial[index]).rounded()))
            if level > 0 {
                if let last = runs.last, last.level == level, last.from + last.count == index {
                    runs[runs.count - 1].count += 1
                } else {
                    runs.append(Run(row: row, from: index, count: 1, level: level))
                }
            }
            index += 1
        }
    }

    /// Puts what lies inside on one line, cut to the picture, into `spans`.
    private mutating func findSpans(at y: Double) {
        while nextEdge < edges.count, edges[nextEdge].top <= y {
            active.append(edges[nextEdge])
            nextEdge += 1
        }
        crossings.removeAll(keepingCapacity: true)
        var kept = 0
        for index in active.indices where active[index].bottom > y {
            let edge = active[index]
            if kept != index { active[kept] = edge }
            kept += 1
            let crossing = Crossing(x: edge.x + (y - edge.top) * edge.slope, winding: edge.winding)
            // There are seldom more than two.
            var place = crossings.count
            crossings.append(crossing)
            while place > 0, crossings[place - 1].x > crossing.x {
                crossings[place] = crossings[place - 1]
                place -= 1
            }
            crossings[place] = crossing
        }
        active.removeLast(active.count - kept)
        spans.removeAll(keepingCapacity: true)
        var winding = 0
        var start = 0.0
        let limit = Double(width)
        for crossing in crossings {
            if winding == 0 { start = crossing.x }
            winding += crossing.winding
            guard winding == 0 else { continue }
            let (left, right) = (max(0, min(limit, start)), max(0, min(limit, crossing.x)))
            if let last = spans.last, last.right >= left {
                spans[spans.count - 1].right = max(last.right, right)
            } else {
                spans.append(Span(left: left, right: right))
            }
        }
    }
}
