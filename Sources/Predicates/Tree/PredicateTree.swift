/// A predicate as a value: what a format string means, without its text.
///
/// Every tree is finite data that can be compared, hashed and sent between threads. A block predicate
/// has no tree. `description` is the normal form of the format language, and
/// `PredicateTree(parsing: tree.description)` gives an equal tree when the tree came from the parser
/// and holds no opaque object (see ``PredicateValue/object(_:)``).
public indirect enum PredicateTree: Hashable, Sendable {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case constant(Bool)
    /// Two expressions and the operator between them.
    case comparison(PredicateComparison)
    /// All of the parts hold. The parser gives two parts or more, and joins an unparenthesised chain.
    case and([PredicateTree])
    /// One of the parts holds. The parser gives two parts or more, and joins an unparenthesised chain.
    case or([PredicateTree])
    /// The part does not hold. `NONE x IN y` is `.not` around a comparison with modifier `.any`.
    case not(PredicateTree)
}

extension PredicateTree {
    /// A comparison written in one line, for code that builds trees.
    public static func compare(
        _ left: ExpressionTree, _ operator: PredicateOperator, _ right: ExpressionTree,
        modifier: PredicateModifier = .direct, options: PredicateOptions = []
    ) -> PredicateTree {
        .comparison(
            PredicateComparison(
                modifier: modifier, left: left, operator: `operator`, right: right, options: options))
    }
}
