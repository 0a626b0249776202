internal import Foundation

/// The operators of key paths that begin with `@`.
enum CollectionOperator {
    /// Applies an operator to a collection; nil counts as an empty one, because an absent list has no
    /// elements.
    static func apply(
        _ name: String, to object: Any?, at keys: ArraySlice<String>
    ) throws(PredicateEvaluationError) -> Any? {
        let elements = try elements(of: object, for: name)
        switch name {
        case "@allValues": return try KeyPathReader.value(of: elements, at: keys)
        case "@allKeys":
            guard case .dictionary(let entries) = PredicateValue(object) else { return [String]() }
            return try KeyPathReader.value(of: entries.keys.sorted(), at: keys)
        case "@count": return try KeyPathReader.value(of: elements.count, at: keys)
        case "@firstObject", "@first": return try KeyPathReader.value(of: elements.first ?? nil, at: keys)
        case "@lastObject", "@last": return try KeyPathReader.value(of: elements.last ?? nil, at: keys)
        default: break
        }
        let values = try KeyPathReader.values(of: elements, at: keys)
        switch name {
        case "@sum": return try Statistics("@sum", values).sum()
        case "@avg": return try Statistics("@avg", values).average()
        case "@min": return try Statistics.extreme("@min", values, .ascending)
        case "@max": return try Statistics.extreme("@max", values, .descending)
        case "@unionOfObjects": return present(values)
        case "@distinctUnionOfObjects": return distinct(present(values))
        case "@unionOfArrays", "@unionOfSets": return present(Elements.flattened(values) ?? [])
        case "@distinctUnionOfArrays", "@distinctUnionOfSets":
            return distinct(present(Elements.flattened(values) ?? []))
        default:
            throw PredicateEvaluationError(.unsupported(name))
        }
    }

    private static func elements(
        of object: Any?, for name: String
    ) throws(PredicateEvaluationError) -> [Any?] {
        if let elements = Elements.of(object) { return elements }
        let value = PredicateValue(object)
        switch value {
        case .null: return []
        case .dictionary(let entries): return Array(entries.values)
        default: throw PredicateEvaluationError(.notACollection(value.kindName, operation: name))
        }
    }

    private static func present(_ values: [Any?]) -> [PredicateValue] {
        values.map { PredicateValue($0) }.filter { $0 != .null }
    }

    private static func distinct(_ values: [PredicateValue]) -> [PredicateValue] {
        var seen: Set<PredicateValue> = []
        return values.filter { seen.insert($0).inserted }
    }
}

/// Sums, averages and the like over the numbers of a collection; null is left out.
struct Statistics {
    private let values: [PredicateValue]

    /// Takes the numbers; an error when an element is neither a number nor null.
    init(_ function: String, _ elements: [Any?]) throws(PredicateEvaluationError) {
        var values: [PredicateValue] = []
        for element in elements {
            let value = PredicateValue(element)
            if value == .null { continue }
            guard value.isNumber else {
                throw PredicateEvaluationError(.badArgument(function: function, value: value.kindName))
            }
            values.append(value)
        }
        self.values = values
    }

    private var doubles: [Double] { values.compactMap(\.doubleValue) }

    /// The sum; 0 for no numbers.
    func sum() throws(PredicateEvaluationError) -> PredicateValue {
        var sum = PredicateValue.int(0)
        for value in values { sum = try Arithmetic.apply(.add, sum, value) }
        return sum
    }

    /// The average; null for no numbers, as in SQL.
    func average() throws(PredicateEvaluationError) -> PredicateValue {
        guard !values.isEmpty, let sum = try sum().doubleValue else { return .null }
        return .double(sum / Double(values.count))
    }

    /// The middle number, or the average of the two middle ones.
    func median() -> PredicateValue {
        let sorted = doubles.sorted()
        guard !sorted.isEmpty else { return .null }
        let middle = sorted.count / 2
        return .double(
            sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle])
    }

    /// The numbers that occur most often, in ascending order.
    func mode() -> PredicateValue {
        let counts = Dictionary(grouping: doubles) { $0 }.mapValues(\.count)
        let most = counts.values.max() ?? 0
        return .list(counts.filter { $0.value == most }.keys.sorted().map { .double($0) })
    }

    /// The standard deviation of the whole population.
    func standardDeviation() -> PredicateValue {
        let numbers = doubles
        guard !numbers.isEmpty else { return .null }
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return .double((squares / Double(numbers.count)).squareRoot())
    }

    /// The smallest or largest value of anything that has an order; null for none.
    static func extreme(
        _ function: String, _ elements: [Any?], _ wanted: ComparisonOrder
    ) throws(PredicateEvaluationError) -> PredicateValue {
        var best: PredicateValue = .null
        for element in elements {
            let value = PredicateValue(element)
            if value == .null { continue }
            if best == .null {
                best = value
                continue
            }
            guard let order = value.order(to: best) else {
                throw PredicateEvaluationError(.badArgument(function: function, value: value.kindName))
            }
            if order == wanted { best = value }
        }
        return best
    }
}
