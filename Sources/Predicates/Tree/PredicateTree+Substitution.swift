extension PredicateTree {
    /// The tree with expressions in the places of `$` variables; the others stay.
    ///
    /// A SUBQUERY's own variable hides one of the same name. Joins paths again: `$x.a` with `x` as the path
    /// `b` is the path `b.a`.
    public func substituting(_ variables: [String: ExpressionTree]) -> PredicateTree {
        guard !variables.isEmpty else { return self }
        switch self {
        case .constant: return self
        case .comparison(var comparison):
            comparison.left = comparison.left.substituting(variables)
            comparison.right = comparison.right.substituting(variables)
            if comparison.operator == .between { comparison.right = comparison.right.asBounds }
            return .comparison(comparison)
        case .and(let parts): return .and(parts.map { $0.substituting(variables) })
        case .or(let parts): return .or(parts.map { $0.substituting(variables) })
        case .not(let part): return .not(part.substituting(variables))
        }
    }

    /// The tree with the values that `$variable.path` has at the moment, for variables whose values are objects.
    /// What cannot be read stays as it is, so that evaluating says why.
    func readingMembers(of sources: [String: Any]) -> PredicateTree {
        guard !sources.isEmpty else { return self }
        return substituting(members: { name, keys in
            guard let source = sources[name],
                let value = try? ExpressionTree.keyPath(keys).anyValue(on: source)
            else { return nil }
            return .constant(PredicateValue(value))
        })
    }

    fileprivate func substituting(members: (String, [String]) -> ExpressionTree?) -> PredicateTree {
        switch self {
        case .constant: return self
        case .comparison(var comparison):
            comparison.left = comparison.left.substituting(members: members)
            comparison.right = comparison.right.substituting(members: members)
            return .comparison(comparison)
        case .and(let parts): return .and(parts.map { $0.substituting(members: members) })
        case .or(let parts): return .or(parts.map { $0.substituting(members: members) })
        case .not(let part): return .not(part.substituting(members: members))
        }
    }

    /// The tree with constants in the places of `$` variables; the others stay.
    public func substituting(values: [String: Any?]) -> PredicateTree {
        substituting(values.mapValues { ExpressionTree.argument($0) })
    }
}

extension ExpressionTree {
    fileprivate func substituting(members: (String, [String]) -> ExpressionTree?) -> ExpressionTree {
        switch self {
        case .member(.variable(let name), let keys): return members(name, keys) ?? self
        case .member(let base, let keys): return .path(keys, of: base.substituting(members: members))
        case .function(let selector, let arguments):
            return .function(selector, arguments.map { $0.substituting(members: members) })
        case .aggregate(let elements): return .list(elements.map { $0.substituting(members: members) })
        case .subquery(let collection, let variable, let predicate):
            return .subquery(
                collection.substituting(members: members), variable: variable,
                predicate: predicate.substituting(members: { name, keys in
                    name == variable ? nil : members(name, keys)
                }))
        case .conditional(let condition, let first, let second):
            return .conditional(
                condition.substituting(members: members), first.substituting(members: members),
                second.substituting(members: members))
        case .setOperation(let operation, let first, let second):
            return .setOperation(
                operation, first.substituting(members: members), second.substituting(members: members))
        default: return self
        }
    }

    /// The expression with expressions in the places of `$` variables; the others stay.
    public func substituting(_ variables: [String: ExpressionTree]) -> ExpressionTree {
        guard !variables.isEmpty else { return self }
        switch self {
        case .constant, .selfObject, .anyKey, .keyPath, .argument: return self
        case .variable(let name): return variables[name] ?? self
        case .member(let base, let keys): return .path(keys, of: base.substituting(variables))
        case .memberArgument(let base, let argument):
            return .memberArgument(base.substituting(variables), argument)
        case .function(PredicateFunction.cast, let arguments) where arguments.count == 2:
            let operand = arguments[0].substituting(variables)
            guard case .constant(.string(let type)) = arguments[1] else {
                return .function(PredicateFunction.cast, [operand, arguments[1].substituting(variables)])
            }
            return .cast(operand, to: type)
        case .function(let selector, let arguments):
            return .function(selector, arguments.map { $0.substituting(variables) })
        case .message(let receiver, let selector, let arguments):
            return .message(
                receiver.substituting(variables), selector: selector,
                arguments: arguments.map { $0.substituting(variables) })
        case .aggregate(let elements): return .list(elements.map { $0.substituting(variables) })
        case .subquery(let collection, let variable, let predicate):
            let visible = variables.filter { $0.key != variable }
            return .subquery(
                collection.substituting(variables), variable: variable,
                predicate: predicate.substituting(visible))
        case .conditional(let condition, let first, let second):
            return .conditional(
                condition.substituting(variables), first.substituting(variables),
                second.substituting(variables))
        case .index(let base, .expression(let index)):
            return .index(base.substituting(variables), .expression(index.substituting(variables)))
        case .index(let base, let index): return .index(base.substituting(variables), index)
        case .assignment(let variable, let value):
            return .assignment(variable: variable, value.substituting(variables))
        case .fetch(let request, let context, let countOnly):
            return .fetch(
                request: request.substituting(variables), context: context.substituting(variables),
                countOnly: countOnly.substituting(variables))
        case .setOperation(let operation, let first, let second):
            return .setOperation(
                operation, first.substituting(variables), second.substituting(variables))
        }
    }
}
