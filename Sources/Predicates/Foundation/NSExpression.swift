public import Foundation

/// An expression of a predicate, with Apple's API.
///
/// Foundation on Linux declares a class of this name that cannot be created. A file that imports both
/// modules can call this one's initialisers as they are; where the name is a type, add one
/// `typealias NSExpression = Predicates.NSExpression` to the app's module, or import
/// `class Predicates.NSExpression`.
open class NSExpression: NSObject, NSCopying {
    /// The kinds of expressions. Raw values are Apple's.
    public enum ExpressionType: UInt, Sendable {
        /// A constant.
        case constantValue = 0
        /// The evaluated object, SELF.
        case evaluatedObject
        /// A `$` variable.
        case variable
        /// A key path.
        case keyPath
        /// A function.
        case function
        /// `a UNION b`
        case unionSet
        /// `a INTERSECT b`
        case intersectSet
        /// `a MINUS b`
        case minusSet
        /// A SUBQUERY.
        case subquery = 13
        /// A list of expressions.
        case aggregate = 14
        /// `ANYKEY`
        case anyKey = 15
        /// `FETCH(…)`; Core Data names it `NSFetchRequestExpressionType`.
        case fetchRequest = 50
        /// A block; not offered here.
        case block = 19
        /// `TERNARY(…)`
        case conditional = 20
    }

    /// The expression as a value.
    public let tree: ExpressionTree

    /// Wraps a tree.
    public init(tree: ExpressionTree) { self.tree = tree }

    /// Reads an expression such as `a + 1`.
    ///
    /// Stops the program with the message of ``PredicateFormatError`` when the text is wrong, where Apple's
    /// raises an exception; ``ExpressionTree/init(parsing:arguments:)`` throws instead.
    public convenience init(format: String, _ arguments: Any?...) {
        self.init(tree: .orStop(format, arguments))
    }

    /// Reads an expression with its arguments in an array; see ``init(format:_:)``.
    public convenience init(format: String, argumentArray: [Any]) {
        self.init(tree: .orStop(format, argumentArray))
    }

    /// A constant; nil is `NULL`.
    public convenience init(forConstantValue value: Any?) {
        self.init(tree: .constant(PredicateValue(value)))
    }

    /// A variable, by its name without the dollar sign.
    public convenience init(forVariable name: String) { self.init(tree: .variable(name)) }

    /// A key path. Text that is not a path is kept as a single key, so that nothing traps.
    public convenience init(forKeyPath path: String) {
        self.init(tree: ExpressionTree.path(path) ?? .keyPath([path]))
    }

    /// A function by Apple's selector, such as `sum:`.
    public convenience init(forFunction name: String, arguments: [Any]) {
        self.init(tree: .function(name, Self.trees(arguments)))
    }

    /// A method of an object by its selector.
    public convenience init(
        forFunction target: NSExpression, selectorName: String, arguments: [Any]?
    ) {
        self.init(
            tree: .message(target.tree, selector: selectorName, arguments: Self.trees(arguments ?? [])))
    }

    /// A list of expressions.
    public convenience init(forAggregate expressions: [Any]) {
        self.init(tree: .list(Self.trees(expressions)))
    }

    /// The elements of a collection for which a predicate holds. A predicate without a tree (a block)
    /// matches nothing.
    public convenience init(
        forSubquery expression: NSExpression, usingIteratorVariable variable: String, predicate: NSPredicate
    ) {
        let tree = (try? PredicateTree(predicate)) ?? .constant(false)
        self.init(tree: .subquery(expression.tree, variable: variable, predicate: tree))
    }

    /// The elements of both collections.
    public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
        self.init(tree: .setOperation(.union, left.tree, right.tree))
    }

    /// The elements that are in both collections.
    public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self.init(tree: .setOperation(.intersect, left.tree, right.tree))
    }

    /// The elements of the left collection that are not in the right one.
    public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
        self.init(tree: .setOperation(.minus, left.tree, right.tree))
    }

    /// One of two expressions. A predicate without a tree (a block) chooses the second.
    public convenience init(
        forConditional predicate: NSPredicate, trueExpression: NSExpression, falseExpression: NSExpression
    ) {
        let tree = (try? PredicateTree(predicate)) ?? .constant(false)
        self.init(tree: .conditional(tree, trueExpression.tree, falseExpression.tree))
    }

    /// SELF.
    open class func expressionForEvaluatedObject() -> NSExpression { NSExpression(tree: .selfObject) }

    /// ANYKEY.
    open class func expressionForAnyKey() -> NSExpression { NSExpression(tree: .anyKey) }

    private static func trees(_ arguments: [Any]) -> [ExpressionTree] {
        arguments.map { ($0 as? NSExpression)?.tree ?? .constant(PredicateValue($0)) }
    }

    /// The value of the expression for an object, or nil when it has none; the context's string keys are
    /// the variables. ``ExpressionTree/value(on:variables:now:)`` throws instead.
    open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        var variables: [String: Any?] = [:]
        for (key, value) in context ?? [:] { variables["\(key)"] = .some(value) }
        guard let value = try? tree.anyValue(on: object, variables: variables) else { return nil }
        return (value as? PredicateValue).map(\.foundationValue) ?? value
    }

    /// Two expressions are equal when their trees are.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSExpression)?.tree == tree
    }

    /// The hash of the tree.
    open override var hash: Int { tree.hashValue }

    /// The expression in the normal form.
    open override var description: String { tree.description }

    /// Itself: an expression does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

extension NSExpression: ExpressionTreeConvertible {
    var expressionTree: ExpressionTree { tree }
}
