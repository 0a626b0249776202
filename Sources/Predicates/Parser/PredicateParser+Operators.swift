extension PredicateParser {
    /// Reads operands and the operators between them that bind at least as tightly as `minimum`.
    mutating func parseNode(_ minimum: Precedence) throws(PredicateFormatError) -> Node {
        try nested { parser throws(PredicateFormatError) in
            var left = try parser.parsePrefix()
            while let infix = parser.infix, infix.precedence >= minimum {
                left = try parser.parseInfix(infix, left: left)
            }
            return left
        }
    }

    /// The operator at the current token.
    private var infix: Infix? {
        if case .identifier(let name) = current.kind, isFollowed(by: .colon) { return .selector(name + ":") }
        return Infix(current)
    }

    /// Reads an expression, without comparisons.
    mutating func parseExpression() throws(PredicateFormatError) -> ExpressionNode {
        let node = try parseNode(.set)
        return try expression(node)
    }

    private mutating func parseInfix(_ infix: Infix, left: Node) throws(PredicateFormatError) -> Node {
        switch infix {
        case .and, .or: return try parseChain(infix, first: left)
        case .comparison(let comparison):
            guard case .expression = left.content else { throw error(.chainedComparison) }
            return try parseComparison(comparison, left: try expression(left), modifier: .direct)
        case .tokenMatch:
            guard case .expression = left.content else { throw error(.chainedComparison) }
            return try parseTokenMatch(left: try expression(left))
        case .selector(let selector):
            guard case .expression = left.content else { throw error(.chainedComparison) }
            return try parseSelector(selector, left: try expression(left))
        case .set(let operation):
            let (first, second, level) = try parseOperands(left, infix.precedence.next)
            return Node(.setOperation(operation, first, second), start: left.start, depth: level)
        case .function(let selector, let precedence):
            // The power binds to the right: 2 ** 3 ** 2 is 2 ** 9.
            let next = precedence == .power ? precedence : precedence.next
            let (first, second, level) = try parseOperands(left, next)
            return Node(.function(selector, [first, second]), start: left.start, depth: level)
        }
    }

    private mutating func parseOperands(
        _ left: Node, _ minimum: Precedence
    ) throws(PredicateFormatError) -> (ExpressionTree, ExpressionTree, Int) {
        let first = try expression(left)
        advance()
        let right = try parseNode(minimum)
        let second = try expression(right)
        let level = try level(above: first.depth, second.depth, at: left.start)
        return (first.tree, second.tree, level)
    }

    /// Reads the rest of `a AND b AND c` as one list.
    private mutating func parseChain(_ infix: Infix, first: Node) throws(PredicateFormatError) -> Node {
        let first = (node: try predicate(first), start: first.start)
        var parts = [first.node.tree]
        var depth = first.node.depth
        while let next = Infix(current), next.precedence == infix.precedence {
            advance()
            let node = try parseNode(infix.precedence.next)
            let part = try predicate(node)
            parts.append(part.tree)
            depth = max(depth, part.depth)
        }
        let level = try level(above: depth, at: first.start)
        return Node(infix.precedence == .and ? .and(parts) : .or(parts), start: first.start, depth: level)
    }

    /// Reads the operator at the current token, its options and the right side.
    private mutating func parseComparison(
        _ comparison: PredicateOperator, left: ExpressionNode, modifier: PredicateModifier
    ) throws(PredicateFormatError) -> Node {
        advance()
        let options = try parseOptions()
        let right = try parseExpression()
        let level = try level(above: left.depth, right.depth, at: left.start)
        let tree = PredicateTree.compare(
            left.tree, comparison, right.tree, modifier: modifier, options: options)
        return Node(tree, start: left.start, depth: level)
    }

    /// `allTokens TOKENMATCHES[cdl] 'words'` is the older form of `ALL tokenize('words', 'cdl') IN allTokens`.
    private mutating func parseTokenMatch(left: ExpressionNode) throws(PredicateFormatError) -> Node {
        advance()
        let options = try parseOptions()
        let right = try parseExpression()
        let level = try level(above: left.depth, right.depth, at: left.start)
        let words = ExpressionTree.function(
            "tokenize:using:", [right.tree, .constant(.string(options.letters))])
        return Node(
            PredicateTree.compare(words, .in, left.tree, modifier: .all), start: left.start, depth: level)
    }

    /// `a isKindOfClass: b` asks `a`, as `FUNCTION(a, "isKindOfClass:", b) == YES` does.
    private mutating func parseSelector(
        _ selector: String, left: ExpressionNode
    ) throws(PredicateFormatError) -> Node {
        advance()
        advance()
        let right = try parseExpression()
        let level = try level(above: left.depth, right.depth, at: left.start)
        let message = ExpressionTree.message(left.tree, selector: selector, arguments: [right.tree])
        return Node(
            PredicateTree.compare(message, .equalTo, .constant(.bool(true))), start: left.start, depth: level)
    }

    private mutating func parseOptions() throws(PredicateFormatError) -> PredicateOptions {
        guard accept(.openBracket) else { return [] }
        let word: String
        switch current.kind {
        case .identifier(let name), .keyword(_, let name): word = name
        default: throw unexpected("c, d, n or l")
        }
        var options: PredicateOptions = []
        for letter in word.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "n": options.insert(.normalized)
            case "l": options.insert(.localeSensitive)
            default: throw error(.unknownOption(word))
            }
        }
        advance()
        try expect(.closeBracket)
        return options
    }

    /// Reads what follows ANY, SOME, ALL or NONE.
    mutating func parseModified(_ keyword: Keyword) throws(PredicateFormatError) -> Node {
        let start = current.start
        advance()
        let modifier: PredicateModifier = keyword == .all ? .all : .any
        let operand = try parseNode(.set)
        var node: Node
        if case .predicate(.comparison(var inner)) = operand.content, inner.modifier == .direct {
            // ANY (a == 1) means ANY a == 1; apps write it so.
            inner.modifier = modifier
            node = Node(.comparison(inner), start: start, depth: operand.depth)
        } else {
            let left = try expression(operand)
            guard case .comparison(let comparison)? = Infix(current) else {
                throw unexpected(after: operand)
            }
            node = try parseComparison(comparison, left: left, modifier: modifier)
            node.start = start
        }
        if keyword == .none {
            node.content = .predicate(.not(try predicate(node).tree))
            node.depth = try level(above: node.depth, at: start)
        }
        return node
    }
}
