public import Foundation

extension NSPredicate {
    /// The tree of the predicate, or nil for a block or a foreign subclass.
    public var tree: PredicateTree? { try? PredicateTree(self) }

    /// The predicate with values in the places of `$` variables. Variables without a value stay. A
    /// predicate whose meaning is code comes back as it is; so do code parts of a compound.
    ///
    /// `$object.key` is read now where the object stands for something else in comparisons, as a managed object
    /// does for its ID: `$FETCH_SOURCE.name` of a fetched property.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        let values = variables.mapValues { ExpressionTree.argument($0) }
        let sources = variables.filter { $0.value is any PredicateValueConvertible }
        return (substituting(values, sources) as? Self) ?? self
    }

    private func substituting(
        _ variables: [String: ExpressionTree], _ sources: [String: Any]
    ) -> NSPredicate {
        if let tree = try? PredicateTree(self) {
            guard type(of: self) != NSPredicate.self else { return self }
            return .made(from: tree.readingMembers(of: sources).substituting(variables))
        }
        guard let compound = self as? NSCompoundPredicate else { return self }
        let parts = compound.subpredicates.map { $0.substituting(variables, sources) }
        return NSCompoundPredicate(type: compound.compoundPredicateType, subpredicates: parts)
    }
}

extension ExpressionTree {
    /// The expression for a value that is passed for a variable; an expression stays one.
    static func argument(_ any: Any?) -> ExpressionTree {
        (any as? any ExpressionTreeConvertible)?.expressionTree ?? .constant(PredicateValue(any))
    }
}
