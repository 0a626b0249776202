public import Foundation

extension NSExpression {
    /// The kind of expression.
    public var expressionType: ExpressionType {
        switch tree {
        case .constant, .argument: .constantValue
        case .selfObject: .evaluatedObject
        case .anyKey: .anyKey
        case .keyPath: .keyPath
        case .member, .memberArgument: .keyPath
        case .variable: .variable
        case .function, .message, .index, .assignment: .function
        case .fetch: .fetchRequest
        case .aggregate: .aggregate
        case .subquery: .subquery
        case .conditional: .conditional
        case .setOperation(.union, _, _): .unionSet
        case .setOperation(.intersect, _, _): .intersectSet
        case .setOperation(.minus, _, _): .minusSet
        }
    }

    /// The value of a constant; nil for NULL and for other kinds, where Apple's class raises.
    ///
    /// Numbers are `NSNumber`, as Apple's class keeps them, so `as? Int`, `as? Double` and `as? Bool` each give
    /// what the number can be (AppleCoreDataTests of miolabs/MIOCoreData, which run on Apple's framework).
    public var constantValue: Any? {
        if case .constant(let value) = tree { value.foundationValue } else { nil }
    }

    /// The path of a key path expression; empty for other kinds, where Apple's class raises.
    public var keyPath: String {
        switch tree {
        case .keyPath(let keys), .member(_, let keys): keys.joined(separator: ".")
        default: ""
        }
    }

    /// The selector of a function; empty for other kinds.
    public var function: String {
        switch tree {
        case .function(let selector, _), .message(_, let selector, _): selector
        case .index: "objectFrom:withIndex:"
        default: ""
        }
    }

    /// The name of a variable, of a SUBQUERY too; empty for other kinds.
    public var variable: String {
        switch tree {
        case .variable(let name), .subquery(_, let name, _), .assignment(let name, _): name
        default: ""
        }
    }

    /// What a path or a message begins at; SELF when nothing is written.
    public var operand: NSExpression {
        switch tree {
        case .member(let base, _), .memberArgument(let base, _), .message(let base, _, _),
            .index(let base, _):
            NSExpression(tree: base)
        default: NSExpression(tree: .selfObject)
        }
    }

    /// The arguments of a function, or nil for other kinds.
    public var arguments: [NSExpression]? {
        switch tree {
        case .function(_, let arguments), .message(_, _, let arguments):
            arguments.map { NSExpression(tree: $0) }
        default: nil
        }
    }

    /// The collection of a SUBQUERY, or the expressions of a list.
    public var collection: Any {
        switch tree {
        case .subquery(let collection, _, _): NSExpression(tree: collection)
        case .aggregate(let elements): elements.map { NSExpression(tree: $0) }
        case .constant(.list(let values)): values.map { NSExpression(tree: .constant($0)) }
        default: [NSExpression]()
        }
    }

    /// The predicate of a SUBQUERY or a TERNARY; FALSEPREDICATE for other kinds.
    public var predicate: NSPredicate {
        switch tree {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _):
            NSPredicate.made(from: predicate)
        default: NSPredicate(value: false)
        }
    }

    /// The left side of a set operation; itself for other kinds.
    public var left: NSExpression {
        if case .setOperation(_, let left, _) = tree { NSExpression(tree: left) } else { self }
    }

    /// The right side of a set operation; itself for other kinds.
    public var right: NSExpression {
        if case .setOperation(_, _, let right) = tree { NSExpression(tree: right) } else { self }
    }

    /// The first expression of a TERNARY; itself for other kinds.
    public var `true`: NSExpression {
        if case .conditional(_, let first, _) = tree { NSExpression(tree: first) } else { self }
    }

    /// The second expression of a TERNARY; itself for other kinds.
    public var `false`: NSExpression {
        if case .conditional(_, _, let second) = tree { NSExpression(tree: second) } else { self }
    }
}

extension ExpressionTree {
    /// The tree of a format, or the end of the program with the throwing initialiser's message.
    static func orStop(_ format: String, _ arguments: [Any?]) -> ExpressionTree {
        do {
            return try ExpressionTree(parsing: format, arguments: arguments)
        } catch {
            fatalError("Unable to parse the format string of an expression.\n\(error)")
        }
    }
}
