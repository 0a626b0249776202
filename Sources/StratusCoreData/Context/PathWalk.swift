/// Finds the entities that the key paths of a fetch lead through.
///
/// A context with unsaved changes of such an entity cannot leave the decision to the store.
enum PathWalk {
    static func entities(of fetch: StoreFetch) -> [NSEntityDescription] {
        var found: [NSEntityDescription] = []
        var paths: [[String]] = fetch.sort.map(\.path)
        if let predicate = fetch.predicate { collect(predicate, &paths) }
        for path in paths { walk(path, from: fetch.entity, &found) }
        return found
    }

    /// The key paths in a predicate, from the objects that it is asked of.
    static func paths(of predicate: PredicateTree) -> [[String]] {
        var paths: [[String]] = []
        collect(predicate, &paths)
        return paths
    }

    private static func walk(
        _ path: [String], from entity: NSEntityDescription, _ found: inout [NSEntityDescription]
    ) {
        var entity = entity
        for key in path {
            let candidates = entity.withDescendants
            guard let relationship = candidates.lazy.compactMap({ $0.relationshipsByName[key] }).first,
                let destination = relationship.destinationEntity
            else { return }
            if !found.contains(where: { $0 === destination }) { found.append(destination) }
            entity = destination
        }
    }

    private static func collect(_ predicate: PredicateTree, _ paths: inout [[String]]) {
        switch predicate {
        case .constant: break
        case .comparison(let comparison):
            collect(comparison.left, &paths)
            collect(comparison.right, &paths)
        case .and(let parts), .or(let parts): for part in parts { collect(part, &paths) }
        case .not(let part): collect(part, &paths)
        }
    }

    private static func collect(_ expression: ExpressionTree, _ paths: inout [[String]]) {
        switch expression {
        case .keyPath(let path): paths.append(path)
        case .member(let base, let path):
            collect(base, &paths)
            if case .variable = base { paths.append(path) }
        case .function(_, let arguments), .aggregate(let arguments):
            for argument in arguments { collect(argument, &paths) }
        case .subquery(let collection, _, let predicate):
            collect(collection, &paths)
            // The variable's paths start at the collection's end, so they are walked from there.
            var inner: [[String]] = []
            collect(predicate, &inner)
            if case .keyPath(let path) = collection { paths += inner.map { path + $0 } }
            paths += inner
        case .conditional(let predicate, let first, let second):
            collect(predicate, &paths)
            collect(first, &paths)
            collect(second, &paths)
        case .index(let base, _), .assignment(_, let base): collect(base, &paths)
        case .setOperation(_, let first, let second):
            collect(first, &paths)
            collect(second, &paths)
        default: break
        }
    }
}
