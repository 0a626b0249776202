internal import StratusCoreData

// Whether an index over attributes or relationships can serve a fetch.

extension FetchCompiler {
    /// Whether a condition that every object must fulfil, or the first sort key, is one that an index begins with.
    func hasIndex(_ fetch: StoreFetch) -> Bool {
        if let first = fetch.sort.first, Self.leadsIndex(first.path, fetch.entity) { return true }
        guard let predicate = fetch.predicate else { return false }
        return Self.conjuncts(predicate).contains { part in
            guard case .comparison(let comparison) = part, comparison.modifier == .direct,
                comparison.options.isEmpty, Self.isSearchable(comparison.operator)
            else { return false }
            return [comparison.left, comparison.right].contains {
                if case .keyPath(let keys) = $0 { Self.leadsIndex(keys, fetch.entity) } else { false }
            }
        }
    }

    private static func conjuncts(_ tree: PredicateTree) -> [PredicateTree] {
        if case .and(let parts) = tree { parts.flatMap(conjuncts) } else { [tree] }
    }

    private static func isSearchable(_ comparison: PredicateOperator) -> Bool {
        switch comparison {
        case .equalTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .between, .in,
            .beginsWith:
            true
        default: false
        }
    }

    /// Every to-one relationship has an index; attributes have those that the model declares.
    private static func leadsIndex(_ path: [String], _ entity: NSEntityDescription) -> Bool {
        guard let key = path.first, let property = entity.propertiesByName[key] else { return false }
        if let relationship = property as? NSRelationshipDescription { return !relationship.isToMany }
        guard path.count == 1 else { return false }
        if property.isIndexed { return true }
        var owner: NSEntityDescription? = entity
        while let current = owner {
            if current.indexes.contains(where: { $0.elements.first?.propertyName == key }) { return true }
            let names = (current.compoundIndexes + current.uniquenessConstraints).compactMap(\.first).map {
                ($0 as? NSPropertyDescription)?.name ?? ($0 as? String)
            }
            if names.contains(key) { return true }
            owner = current.superentity
        }
        return false
    }
}
