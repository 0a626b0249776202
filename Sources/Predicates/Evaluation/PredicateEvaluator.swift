internal import Foundation

/// Computes trees against one object.
struct PredicateEvaluator {
    /// What SELF is, also inside SUBQUERY.
    let object: Any?
    /// The values of `$` variables.
    var variables: [String: Any?]
    /// What `now()` answers; one evaluation sees one time.
    let now: Date

    /// Whether a predicate holds.
    mutating func evaluate(_ tree: PredicateTree) throws(PredicateEvaluationError) -> Bool {
        switch tree {
        case .constant(let value): return value
        case .comparison(let comparison): return try evaluate(comparison)
        case .and(let parts):
            for part in parts where try !evaluate(part) { return false }
            return true
        case .or(let parts):
            for part in parts where try evaluate(part) { return true }
            return false
        case .not(let part): return try !evaluate(part)
        }
    }

    private mutating func evaluate(_ comparison: PredicateComparison) throws(PredicateEvaluationError) -> Bool
    {
        if comparison.modifier == .direct {
            let left = try value(comparison.left)
            let right = try value(comparison.right)
            return try Comparer.test(left, comparison.operator, right, options: comparison.options)
        }
        let wanted = comparison.modifier == .any
        let elements = try elements(comparison.left, for: wanted ? "ANY" : "ALL")
        let right = try value(comparison.right)
        for element in elements {
            let left = PredicateValue(element)
            let holds = try Comparer.test(left, comparison.operator, right, options: comparison.options)
            if holds == wanted { return wanted }
        }
        return !wanted
    }

    /// The elements of a collection in all levels; none for nil.
    mutating func elements(
        _ tree: ExpressionTree, for operation: String
    ) throws(PredicateEvaluationError) -> [Any?] {
        let collection = try any(tree)
        if let elements = Elements.flattened(collection) { return elements }
        let value = PredicateValue(collection)
        switch value {
        case .null: return []
        case .dictionary(let entries): return Array(entries.values)
        default: throw PredicateEvaluationError(.notACollection(value.kindName, operation: operation))
        }
    }

    /// The value of an expression, for comparisons.
    mutating func value(_ tree: ExpressionTree) throws(PredicateEvaluationError) -> PredicateValue {
        if case .constant(let value) = tree { return value }
        return PredicateValue(try any(tree))
    }
}
