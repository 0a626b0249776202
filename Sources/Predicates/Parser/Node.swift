/// What a parenthesis or a prefix may turn out to be: a predicate or an expression.
///
/// `(a) == 1` and `(a == 1)` begin alike. Reading one node of either kind decides it without going back,
/// so the time is linear in the length of the text, whatever the nesting.
struct Node {
    enum Content {
        case predicate(PredicateTree)
        case expression(ExpressionTree)
    }

    var content: Content
    /// Where the node begins, in bytes.
    var start: Int
    /// How many levels of tree the node has.
    var depth: Int

    init(_ predicate: PredicateTree, start: Int, depth: Int = 1) {
        content = .predicate(predicate)
        self.start = start
        self.depth = depth
    }

    init(_ expression: ExpressionTree, start: Int, depth: Int = 1) {
        content = .expression(expression)
        self.start = start
        self.depth = depth
    }
}

/// An expression and its number of levels.
struct ExpressionNode {
    var tree: ExpressionTree
    var start: Int
    var depth: Int
}

/// A predicate and its number of levels.
struct PredicateNode {
    var tree: PredicateTree
    var depth: Int
}
