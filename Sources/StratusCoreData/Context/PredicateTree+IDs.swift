extension PredicateTree {
    /// The tree with the permanent IDs of objects that now have one in place of their temporary IDs.
    package var withCurrentIDs: PredicateTree {
        switch self {
        case .constant: return self
        case .comparison(var comparison):
            comparison.left = comparison.left.withCurrentIDs
            comparison.right = comparison.right.withCurrentIDs
            return .comparison(comparison)
        case .and(let parts): return .and(parts.map(\.withCurrentIDs))
        case .or(let parts): return .or(parts.map(\.withCurrentIDs))
        case .not(let part): return .not(part.withCurrentIDs)
        }
    }
}

extension ExpressionTree {
    fileprivate var withCurrentIDs: ExpressionTree {
        switch self {
        case .constant(let value): .constant(value.current)
        case .aggregate(let elements): .aggregate(elements.map(\.withCurrentIDs))
        case .function(let selector, let arguments): .function(selector, arguments.map(\.withCurrentIDs))
        case .subquery(let collection, let variable, let predicate):
            .subquery(collection.withCurrentIDs, variable: variable, predicate: predicate.withCurrentIDs)
        case .conditional(let condition, let first, let second):
            .conditional(condition.withCurrentIDs, first.withCurrentIDs, second.withCurrentIDs)
        case .setOperation(let operation, let first, let second):
            .setOperation(operation, first.withCurrentIDs, second.withCurrentIDs)
        default: self
        }
    }
}
