/// An expression as a value: what is on either side of an operator.
///
/// The parser gives one form for one meaning, so that a consumer has one case to match: a path from the
/// evaluated object is always ``keyPath(_:)`` (`SELF.a` and `a` are the same), a list of constants is
/// always ``constant(_:)``, arithmetic is always ``function(_:_:)`` under Apple's selector. The static
/// functions of ``ExpressionTree`` (`path`, `list`, `cast`) give the same forms to code.
public indirect enum ExpressionTree: Hashable, Sendable {
    /// A literal, or the value of a `%@` argument.
    case constant(PredicateValue)
    /// `SELF`: the evaluated object.
    case selfObject
    /// `ANYKEY`: stands for every key of an object (Spotlight's queries use it).
    case anyKey
    /// A path from the evaluated object: `a.b.@count` is `["a", "b", "@count"]`. Never empty.
    case keyPath([String])
    /// A path from another expression: `$x.a`, `SUBQUERY(…).@count`, `list[0].name`.
    case member(ExpressionTree, [String])
    /// `$name`, without the dollar sign.
    case variable(String)
    /// A function of the language by Apple's selector: `sum:`, `add:to:`, `bitwiseAnd:with:`.
    case function(String, [ExpressionTree])
    /// `FUNCTION(receiver, 'selector', …)`.
    case message(ExpressionTree, selector: String, arguments: [ExpressionTree])
    /// `{a, b}` with at least one element that is not a constant.
    case aggregate([ExpressionTree])
    /// `SUBQUERY(collection, $variable, predicate)`: the elements for which the predicate holds.
    case subquery(ExpressionTree, variable: String, predicate: PredicateTree)
    /// `TERNARY(predicate, a, b)`.
    case conditional(PredicateTree, ExpressionTree, ExpressionTree)
    /// `base[0]`, `base[FIRST]`, `base["key"]`.
    case index(ExpressionTree, PredicateIndex)
    /// `$variable := expression`, without the dollar sign.
    case assignment(variable: String, ExpressionTree)
    /// `FETCH(request, context, countOnly)`.
    case fetch(request: ExpressionTree, context: ExpressionTree, countOnly: ExpressionTree)
    /// `a UNION b`, `a INTERSECT b`, `a MINUS b`.
    case setOperation(PredicateSetOperation, ExpressionTree, ExpressionTree)
    /// A `%` argument without a value; only ``PredicateTree/init(template:)`` gives it.
    case argument(PredicateArgument)
    /// `base.%K` without a value; only ``PredicateTree/init(template:)`` gives it.
    case memberArgument(ExpressionTree, PredicateArgument)
}

/// What is between the brackets of `base[…]`.
public indirect enum PredicateIndex: Hashable, Sendable {
    /// `FIRST`
    case first
    /// `LAST`
    case last
    /// `SIZE`: the number of elements.
    case size
    /// A position in a list, or a key of a dictionary.
    case expression(ExpressionTree)
}

/// The operations on two collections.
public enum PredicateSetOperation: String, Hashable, Sendable, CaseIterable {
    /// The elements of both.
    case union = "UNION"
    /// The elements that are in both.
    case intersect = "INTERSECT"
    /// The elements of the left one that are not in the right one.
    case minus = "MINUS"
}

/// A `%` argument of a template, which has a position but no value.
public struct PredicateArgument: Hashable, Sendable {
    /// What follows the percent sign: `@`, `K`, `d`, `lld`, `.2f`.
    public let conversion: String
    /// The position in the argument list, counted from 0.
    public let index: Int

    /// Makes a placeholder.
    public init(conversion: String, index: Int) {
        self.conversion = conversion
        self.index = index
    }
}
