extension PredicateEvaluator {
    /// What an expression gives, before it becomes a value: objects stay what they are, so that keys can
    /// be read from them.
    mutating func any(_ tree: ExpressionTree) throws(PredicateEvaluationError) -> Any? {
        switch tree {
        case .constant(let value): return value
        case .selfObject: return object
        case .anyKey: throw PredicateEvaluationError(.unsupported("ANYKEY"))
        case .keyPath(let keys): return try KeyPathReader.value(of: object, at: keys[...])
        case .member(let base, let keys):
            return try KeyPathReader.value(of: try any(base), at: keys[...])
        case .variable(let name):
            guard let value = variables[name] else {
                throw PredicateEvaluationError(.unboundVariable(name))
            }
            return value
        case .function(let selector, let arguments): return try call(selector, arguments)
        case .message(let receiver, let selector, let arguments):
            return try send(selector, to: receiver, arguments)
        case .aggregate(let elements):
            var values: [PredicateValue] = []
            for element in elements { values.append(try value(element)) }
            return PredicateValue.list(values)
        case .subquery(let collection, let variable, let predicate):
            return try subquery(collection, variable, predicate)
        case .conditional(let condition, let first, let second):
            return try any(try evaluate(condition) ? first : second)
        case .index(let base, let index): return try element(of: base, at: index)
        case .assignment(let variable, let value):
            let result = try any(value)
            variables[variable] = .some(result)
            return result
        case .fetch: throw PredicateEvaluationError(.unsupported("FETCH"))
        case .setOperation(let operation, let first, let second):
            return try combine(operation, first, second)
        case .argument(let argument), .memberArgument(_, let argument):
            throw PredicateEvaluationError(.unboundArgument(argument.conversion))
        }
    }

    /// Without Objective-C no selector can be sent: what works is a property by its name, and moving a
    /// date, which mapping models and templates use.
    private mutating func send(
        _ selector: String, to receiver: ExpressionTree, _ arguments: [ExpressionTree]
    ) throws(PredicateEvaluationError) -> Any? {
        let target = try any(receiver)
        if arguments.isEmpty { return try KeyPathReader.value(of: target, forKey: selector) }
        if selector == "dateByAddingTimeInterval:", arguments.count == 1 {
            return try Arithmetic.apply(.add, PredicateValue(target), try value(arguments[0]))
        }
        throw PredicateEvaluationError(.unsupported("FUNCTION with the selector '\(selector)'"))
    }

    /// The elements for which a predicate holds. SELF and plain keys keep their meaning inside.
    private mutating func subquery(
        _ collection: ExpressionTree, _ variable: String, _ predicate: PredicateTree
    ) throws(PredicateEvaluationError) -> [Any] {
        let elements = try elements(collection, for: "SUBQUERY")
        let outer = variables[variable]
        defer { variables[variable] = outer }
        var found: [Any] = []
        for element in elements {
            variables[variable] = .some(element)
            if try evaluate(predicate) { found.append(element ?? PredicateValue.null) }
        }
        return found
    }

    /// The element at an index or under a key; nil when there is none.
    private mutating func element(
        of base: ExpressionTree, at index: PredicateIndex
    ) throws(PredicateEvaluationError) -> Any? {
        let container = try any(base)
        guard let elements = Elements.of(container) else {
            return try entry(of: container, at: index)
        }
        switch index {
        case .first: return elements.first ?? nil
        case .last: return elements.last ?? nil
        case .size: return elements.count
        case .expression(let expression):
            let value = try value(expression)
            guard case .int(let position) = value else {
                throw PredicateEvaluationError(.badArgument(function: "[…]", value: value.kindName))
            }
            guard position >= 0, position < elements.count else { return nil }
            return elements[Int(position)]
        }
    }

    private mutating func entry(
        of container: Any?, at index: PredicateIndex
    ) throws(PredicateEvaluationError) -> Any? {
        let value = PredicateValue(container)
        switch (value, index) {
        case (.null, .size): return 0
        case (.null, _): return nil
        case (.dictionary(let entries), .size): return entries.count
        case (.dictionary, .expression(let expression)), (.object, .expression(let expression)):
            guard case .string(let key) = try self.value(expression) else { return nil }
            return try KeyPathReader.value(of: container, forKey: key)
        default: throw PredicateEvaluationError(.notACollection(value.kindName, operation: "[…]"))
        }
    }

    private mutating func combine(
        _ operation: PredicateSetOperation, _ first: ExpressionTree, _ second: ExpressionTree
    ) throws(PredicateEvaluationError) -> PredicateValue {
        let left = Set(try elements(first, for: operation.rawValue).map { PredicateValue($0).current })
        let right = Set(try elements(second, for: operation.rawValue).map { PredicateValue($0).current })
        switch operation {
        case .union: return .set(left.union(right))
        case .intersect: return .set(left.intersection(right))
        case .minus: return .set(left.subtracting(right))
        }
    }
}
