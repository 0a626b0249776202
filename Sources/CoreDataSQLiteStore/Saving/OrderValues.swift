internal import StratusCoreData

/// The numbers in `Z_FOK_` columns, which keep the objects of an ordered relationship in order.
///
/// The first is 2048, each further one 1024 more; what is put between two others gets a number between theirs,
/// and where none is left, all are numbered again (Documentation/CoreDataStore.md, 'Order numbers').
enum OrderValues {
    static let first: Int64 = 2_048
    static let step: Int64 = 1_024

    /// The numbers for a list, of which as many as possible are what they were.
    ///
    /// - Parameter current: the number of each element as it is; nil for a new one.
    static func assigned(_ current: [Int64?]) -> [Int64] {
        let kept = longestRise(current)
        var result = Array(repeating: Int64(0), count: current.count)
        var index = 0
        var previous: Int64?
        while index < current.count {
            if kept[index], let value = current[index] {
                result[index] = value
                previous = value
                index += 1
                continue
            }
            let start = index
            while index < current.count, !kept[index] { index += 1 }
            let next = index < current.count ? current[index] : nil
            guard let values = between(previous, next, count: index - start) else {
                return fresh(current.count)
            }
            for (offset, value) in values.enumerated() { result[start + offset] = value }
            previous = values.last ?? previous
        }
        return result
    }

    private static func fresh(_ count: Int) -> [Int64] { (0..<count).map { first + Int64($0) * step } }

    private static func between(_ low: Int64?, _ high: Int64?, count: Int) -> [Int64]? {
        guard let high else {
            let start = low ?? first - step
            guard start < Int64.max / 2 else { return nil }
            return (1...max(1, count)).map { start + Int64($0) * step }
        }
        let low = low ?? 0
        let (width, overflow) = high.subtractingReportingOverflow(low)
        guard !overflow, width > Int64(count) else { return nil }
        return (1...max(1, count)).map {
            low + Int64((Double(width) * Double($0) / Double(count + 1)).rounded(.down))
        }
        .strictlyRising(below: high)
    }

    /// Which elements belong to a longest sequence of rising numbers.
    private static func longestRise(_ values: [Int64?]) -> [Bool] {
        var ends: [Int] = []
        var before: [Int?] = Array(repeating: nil, count: values.count)
        for (index, value) in values.enumerated() {
            guard let value, value > 0 else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if (values[ends[middle]] ?? 0) < value { low = middle + 1 } else { high = middle }
            }
            before[index] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var result = Array(repeating: false, count: values.count)
        var current = ends.last
        while let index = current {
            result[index] = true
            current = before[index]
        }
        return result
    }
}

extension [Int64] {
    /// The list itself where it rises and stays below a bound, or nil.
    fileprivate func strictlyRising(below bound: Int64) -> [Int64]? {
        var previous: Int64 = 0
        for value in self {
            guard value > previous, value < bound else { return nil }
            previous = value
        }
        return self
    }
}
