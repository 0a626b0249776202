internal import Foundation

extension PredicateEvaluator {
    /// Calls a function of the language.
    mutating func call(
        _ selector: String, _ arguments: [ExpressionTree]
    ) throws(PredicateEvaluationError) -> Any? {
        if PredicateFunction.statistics.contains(selector), arguments.count == 1 {
            return try statistic(selector, arguments[0])
        }
        var values: [PredicateValue] = []
        for argument in arguments { values.append(try value(argument)) }
        switch (selector, values.count) {
        case ("now", 0): return now
        case ("random", 0): return Double.random(in: 0..<1)
        case (_, 1): return try unary(selector, values[0])
        case (_, 2): return try binary(selector, values[0], values[1])
        default: throw PredicateEvaluationError(.unsupported("The function \(selector)"))
        }
    }

    private mutating func statistic(
        _ selector: String, _ argument: ExpressionTree
    ) throws(PredicateEvaluationError) -> PredicateValue {
        let collection = try any(argument)
        let elements: [Any?]
        if let flattened = Elements.flattened(collection) {
            elements = flattened
        } else {
            let value = PredicateValue(collection)
            elements = value == .null ? [] : (value.elements ?? [value])
        }
        switch selector {
        case "count:": return .int(Int64(elements.count))
        case "sum:": return try Statistics(selector, elements).sum()
        case "average:": return try Statistics(selector, elements).average()
        case "min:": return try Statistics.extreme(selector, elements, .ascending)
        case "max:": return try Statistics.extreme(selector, elements, .descending)
        case "median:": return try Statistics(selector, elements).median()
        case "mode:": return try Statistics(selector, elements).mode()
        default: return try Statistics(selector, elements).standardDeviation()
        }
    }

    private func unary(
        _ selector: String, _ value: PredicateValue
    ) throws(PredicateEvaluationError) -> PredicateValue {
        if selector == "noindex:" || value == .null { return value }
        if case .string(let text) = value {
            switch selector {
            case "uppercase:": return .string(text.uppercased())
            case "lowercase:": return .string(text.lowercased())
            case "canonical:":
                return .string(StringFolding.fold(text, options: [.caseInsensitive, .diacriticInsensitive]))
            case "length:": return .int(Int64(text.utf16.count))
            default: break
            }
        } else if case .int(let number) = value {
            switch selector {
            case "onesComplement:": return .int(~number)
            case "abs:": return number == .min ? .double(-Double(number)) : .int(abs(number))
            case "floor:", "ceiling:", "trunc:": return value
            case "random:", "randomn:": return .int(Int64.random(in: 0..<max(number, 1)))
            default: break
            }
        }
        guard let number = value.doubleValue else {
            throw PredicateEvaluationError(.badArgument(function: selector, value: value.kindName))
        }
        return .computed(try real(selector, number))
    }

    private func real(_ selector: String, _ number: Double) throws(PredicateEvaluationError) -> Double {
        switch selector {
        case "sqrt:": number.squareRoot()
        case "log:": log10(number)
        case "ln:": log(number)
        case "exp:": exp(number)
        case "floor:": number.rounded(.down)
        case "ceiling:": number.rounded(.up)
        case "trunc:": number.rounded(.towardZero)
        case "abs:": abs(number)
        default: throw PredicateEvaluationError(.badArgument(function: selector, value: "a number"))
        }
    }

    private func binary(
        _ selector: String, _ first: PredicateValue, _ second: PredicateValue
    ) throws(PredicateEvaluationError) -> Any? {
        if let operation = Arithmetic.Operation(rawValue: selector) {
            return try Arithmetic.apply(operation, first, second)
        }
        switch selector {
        case PredicateFunction.cast: return try RuntimeCast.cast(first, to: second)
        case "distanceToLocation:fromLocation:": return try Distance.between(first, second)
        case "tokenize:using:":
            guard case .string(let text) = first else {
                throw PredicateEvaluationError(.badArgument(function: selector, value: first.kindName))
            }
            return SearchWords.list(of: text)
        case "objectFrom:withIndex:":
            guard let elements = Elements.of(first), case .int(let index) = second, index >= 0,
                index < elements.count
            else { return nil }
            return elements[Int(index)]
        default: return try bitwise(selector, first, second)
        }
    }

    private func bitwise(
        _ selector: String, _ first: PredicateValue, _ second: PredicateValue
    ) throws(PredicateEvaluationError) -> PredicateValue {
        if first == .null || second == .null { return .null }
        guard let left = first.wholeNumber, let right = second.wholeNumber else {
            throw PredicateEvaluationError(
                .badArgument(function: selector, value: "\(first.kindName) and \(second.kindName)"))
        }
        switch selector {
        case PredicateFunction.bitwiseAnd: return .int(left & right)
        case PredicateFunction.bitwiseOr: return .int(left | right)
        case PredicateFunction.bitwiseXor: return .int(left ^ right)
        case PredicateFunction.leftShift: return .int(left << right)
        case PredicateFunction.rightShift: return .int(left >> right)
        default: throw PredicateEvaluationError(.unsupported("The function \(selector)"))
        }
    }
}

extension PredicateValue {
    /// The value as a whole number, or nil when it is not one.
    fileprivate var wholeNumber: Int64? {
        switch self {
        case .bool(let flag): flag ? 1 : 0
        case .int(let number): number
        case .double(let number): Int64(exactly: number)
        default: nil
        }
    }
}

/// The distance between two places.
enum Distance {
    /// The mean radius of the earth in metres (IUGG).
    private static let earthRadius = 6_371_008.8

    /// Metres along the surface between two places; null when one is missing.
    static func between(
        _ first: PredicateValue, _ second: PredicateValue
    ) throws(PredicateEvaluationError) -> PredicateValue {
        if first == .null || second == .null { return .null }
        guard case .object(let one) = first, case .object(let other) = second,
            let from = one.base as? any PredicateLocation, let to = other.base as? any PredicateLocation
        else {
            throw PredicateEvaluationError(
                .badArgument(
                    function: "distanceToLocation:fromLocation:",
                    value: "\(first.kindName) and \(second.kindName)"))
        }
        let latitude = (to.predicateLatitude - from.predicateLatitude) * .pi / 180
        let longitude = (to.predicateLongitude - from.predicateLongitude) * .pi / 180
        let scale = cos(from.predicateLatitude * .pi / 180) * cos(to.predicateLatitude * .pi / 180)
        let half = pow(sin(latitude / 2), 2) + scale * pow(sin(longitude / 2), 2)
        return .double(2 * earthRadius * asin(min(1, half.squareRoot())))
    }
}

/// The words of a text, for searches.
enum SearchWords {
    /// The words, folded, without the signs between them.
    static func list(of text: String) -> PredicateValue {
        let folded = StringFolding.fold(text, options: [.caseInsensitive, .diacriticInsensitive])
        return .list(folded.split { !$0.isLetter && !$0.isNumber }.map { .string(String($0)) })
    }
}
