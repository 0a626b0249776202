/// The operators on two values.
enum Comparer {
    /// Whether the operator holds between two values.
    ///
    /// Null equals only null; every other operator is false when a side is null, except that `!=` is the
    /// opposite of `==` and a list may contain null. Answers are true or false, never unknown as in SQL.
    static func test(
        _ left: PredicateValue, _ comparison: PredicateOperator, _ right: PredicateValue,
        options: PredicateOptions
    ) throws(PredicateEvaluationError) -> Bool {
        switch comparison {
        case .equalTo: return left.isEqual(to: right, options: options)
        case .notEqualTo: return !left.isEqual(to: right, options: options)
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            return try testOrder(left, comparison, right, options)
        case .between: return try testRange(left, right, options)
        case .in: return try isMember(left, of: right, operation: comparison, options)
        case .contains: return try isMember(right, of: left, operation: comparison, options)
        case .beginsWith, .endsWith, .like, .matches, .utiConformsTo, .utiEquals:
            return try testText(left, comparison, right, options)
        }
    }

    private static func testOrder(
        _ left: PredicateValue, _ comparison: PredicateOperator, _ right: PredicateValue,
        _ options: PredicateOptions
    ) throws(PredicateEvaluationError) -> Bool {
        guard left != .null, right != .null else { return false }
        guard let order = left.order(to: right, options: options) else {
            // NaN has no order, which is an answer; values of different kinds are a mistake.
            if left.isNumber, right.isNumber { return false }
            throw incomparable(left, comparison, right)
        }
        switch comparison {
        case .lessThan: return order == .ascending
        case .lessThanOrEqualTo: return order != .descending
        case .greaterThan: return order == .descending
        default: return order != .ascending
        }
    }

    private static func testRange(
        _ value: PredicateValue, _ range: PredicateValue, _ options: PredicateOptions
    ) throws(PredicateEvaluationError) -> Bool {
        guard value != .null, range != .null else { return false }
        guard case .list(let bounds) = range.asBounds, bounds.count == 2 else {
            throw PredicateEvaluationError(.badRange)
        }
        guard try testOrder(bounds[0], .lessThanOrEqualTo, value, options) else { return false }
        return try testOrder(value, .lessThanOrEqualTo, bounds[1], options)
    }

    private static func isMember(
        _ element: PredicateValue, of container: PredicateValue, operation: PredicateOperator,
        _ options: PredicateOptions
    ) throws(PredicateEvaluationError) -> Bool {
        switch (container, element) {
        case (.null, _), (.string, .null): return false
        case (.string(let text), .string(let part)):
            return StringFolding.contains(text, part, options: options)
        case (.set(let values), .string(let text)):
            // A set finds strings that are equal in Swift; the language compares bytes.
            if options.isEmpty, let index = values.firstIndex(of: element),
                case .string(let found) = values[index], found.utf8.elementsEqual(text.utf8)
            {
                return true
            }
            return values.contains { $0.isEqual(to: element, options: options) }
        case (.set(let values), _) where values.contains(element): return true
        default:
            guard let elements = container.elements else {
                throw incomparable(element, operation, container)
            }
            return elements.contains { $0.isEqual(to: element, options: options) }
        }
    }

    private static func testText(
        _ left: PredicateValue, _ comparison: PredicateOperator, _ right: PredicateValue,
        _ options: PredicateOptions
    ) throws(PredicateEvaluationError) -> Bool {
        if left == .null || right == .null { return false }
        guard case .string(let text) = left, case .string(let pattern) = right else {
            throw incomparable(left, comparison, right)
        }
        switch comparison {
        case .beginsWith: return StringFolding.begins(text, with: pattern, options: options)
        case .endsWith: return StringFolding.ends(text, with: pattern, options: options)
        case .like: return StringFolding.isLike(text, pattern, options: options)
        case .matches:
            return try RegularExpressionCache.shared.matches(text, pattern: pattern, options: options)
        case .utiConformsTo: return TypeIdentifier.conforms(text, to: pattern)
        default: return TypeIdentifier.areEqual(text, pattern)
        }
    }

    private static func incomparable(
        _ left: PredicateValue, _ comparison: PredicateOperator, _ right: PredicateValue
    ) -> PredicateEvaluationError {
        PredicateEvaluationError(
            .incomparable("\(left.kindName) and \(right.kindName)", operation: comparison.symbol))
    }
}
