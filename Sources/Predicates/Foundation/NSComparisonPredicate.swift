public import Foundation

/// A predicate that compares two expressions, with Apple's API.
///
/// Foundation on Linux declares a class of this name that cannot be created; see ``NSExpression`` for how
/// the two names live in one file. `NSPredicate(format: "a == 1")` is an instance of this class.
open class NSComparisonPredicate: NSPredicate {
    /// The operators. Raw values are Apple's.
    public enum Operator: UInt, Sendable {
        /// `<`
        case lessThan = 0
        /// `<=`
        case lessThanOrEqualTo
        /// `>`
        case greaterThan
        /// `>=`
        case greaterThanOrEqualTo
        /// `==`
        case equalTo
        /// `!=`
        case notEqualTo
        /// `MATCHES`
        case matches
        /// `LIKE`
        case like
        /// `BEGINSWITH`
        case beginsWith
        /// `ENDSWITH`
        case endsWith
        /// `IN`
        case `in`
        /// Apple's operator for a selector of the left object. Here it stands for UTI-CONFORMS-TO, which has
        /// no case of its own; a selector cannot be sent without Objective-C.
        case customSelector
        /// `CONTAINS`
        case contains = 99
        /// `BETWEEN`
        case between = 100
    }

    /// How strings are compared. Raw values are Apple's.
    public struct Options: OptionSet, Sendable {
        /// One bit for each option.
        public let rawValue: UInt
        /// Makes a set of options from its bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// `c`
        public static let caseInsensitive = Options(rawValue: 1)
        /// `d`
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// `n`
        public static let normalized = Options(rawValue: 4)
        /// `l`; Apple's header has no public name for it.
        public static let localeSensitive = Options(rawValue: 8)
    }

    /// How the left side is taken. Raw values are Apple's.
    public enum Modifier: UInt, Sendable {
        /// As one value.
        case direct = 0
        /// Every element of it.
        case all
        /// One element of it.
        case any
    }

    /// The comparison as a value.
    public let comparison: PredicateComparison

    /// Wraps a comparison.
    public required init(comparison: PredicateComparison) {
        self.comparison = comparison
        // Never called: both evaluate methods are overridden. Not init(value:), which Foundation's
        // isEqual would find equal to a constant.
        super.init { _, _ in false }
    }

    /// Makes a comparison from its parts.
    public convenience init(
        leftExpression: NSExpression, rightExpression: NSExpression, modifier: Modifier, type: Operator,
        options: Options = []
    ) {
        self.init(
            comparison: PredicateComparison(
                modifier: PredicateModifier(modifier), left: leftExpression.tree,
                operator: PredicateOperator(type), right: rightExpression.tree,
                options: PredicateOptions(rawValue: options.rawValue)))
    }

    /// The operator; the two for type identifiers, which Apple has no public case for, are
    /// `customSelector`.
    open var predicateOperatorType: Operator { Operator(comparison.operator) }

    /// How the left side is taken.
    open var comparisonPredicateModifier: Modifier { Modifier(comparison.modifier) }

    /// The expression before the operator.
    open var leftExpression: NSExpression { NSExpression(tree: comparison.left) }

    /// The expression after the operator.
    open var rightExpression: NSExpression { NSExpression(tree: comparison.right) }

    /// How strings are compared.
    open var options: Options { Options(rawValue: comparison.options.rawValue) }

    /// The normal form.
    open override var predicateFormat: String { PredicateTree.comparison(comparison).description }

    /// The normal form.
    open override var description: String { predicateFormat }

    /// Whether the predicate holds; false when it has no answer.
    open override func evaluate(with object: Any?) -> Bool {
        evaluate(with: object, substitutionVariables: nil)
    }

    /// Whether the predicate holds with values for its variables; false when it has no answer.
    open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        (try? PredicateTree.comparison(comparison).evaluate(on: object, variables: bindings ?? [:])) ?? false
    }

    /// Two comparisons are equal when their trees are.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSComparisonPredicate)?.comparison == comparison
    }

    /// The hash of the tree.
    open override var hash: Int { comparison.hashValue }

    /// Itself: a predicate does not change.
    open override func copy(with zone: NSZone? = nil) -> Any { self }
}
