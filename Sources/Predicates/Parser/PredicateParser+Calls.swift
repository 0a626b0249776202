extension PredicateParser {
    /// Reads `sum(a)`, `add:to:(a, b)`.
    mutating func parseCall() throws(PredicateFormatError) -> Node {
        let start = current.start
        let name = try parseFunctionName()
        guard isAt(.openParenthesis) else { throw unexpected("'('") }
        guard PredicateFunction.isKnown(name) else {
            let words = PredicateFunction.writtenNames + ["TERNARY", "SUBQUERY", "FUNCTION", "CAST"]
            throw error(
                .unknownFunction(name), at: start, suggestion: Suggestion.nearest(to: name, among: words))
        }
        var (arguments, depth) = try parseArgumentList()
        guard let selector = PredicateFunction.selector(written: name, argumentCount: arguments.count) else {
            throw error(.argumentCount(function: name), at: start)
        }
        if PredicateFunction.colons(in: selector) != arguments.count {
            arguments = [.list(arguments)]
            depth += 1
        }
        let level = try level(above: depth, at: start)
        if selector == PredicateFunction.cast, case .constant(.string(let type)) = arguments[1] {
            return Node(.cast(arguments[0], to: type), start: start, depth: level)
        }
        return Node(.function(selector, arguments), start: start, depth: level)
    }

    /// Reads the parts of a selector: `distanceToLocation:fromLocation:`.
    private mutating func parseFunctionName() throws(PredicateFormatError) -> String {
        var name = ""
        while true {
            switch current.kind {
            case .identifier(let part), .keyword(_, let part): name += part
            default: throw unexpected("'('")
            }
            advance()
            guard accept(.colon) else { return name }
            name += ":"
            if isAt(.openParenthesis) { return name }
        }
    }

    private mutating func parseArgumentList() throws(PredicateFormatError) -> ([ExpressionTree], Int) {
        try expect(.openParenthesis)
        var arguments: [ExpressionTree] = []
        var depth = 0
        if accept(.closeParenthesis) { return ([], 0) }
        repeat {
            let argument = try parseExpression()
            arguments.append(argument.tree)
            depth = max(depth, argument.depth)
        } while accept(.comma)
        try expect(.closeParenthesis)
        return (arguments, depth)
    }

    /// Reads `FUNCTION(receiver, 'selector', …)`.
    mutating func parseMessage() throws(PredicateFormatError) -> Node {
        let start = current.start
        advance()
        let (arguments, depth) = try parseArgumentList()
        guard arguments.count >= 2, case .constant(.string(let selector)) = arguments[1] else {
            throw error(.argumentCount(function: "FUNCTION"), at: start)
        }
        let level = try level(above: depth, at: start)
        return Node(
            .message(arguments[0], selector: selector, arguments: Array(arguments.dropFirst(2))),
            start: start, depth: level)
    }

    /// Reads `CAST(operand, 'type')`.
    mutating func parseCast() throws(PredicateFormatError) -> Node {
        let start = current.start
        advance()
        let (arguments, depth) = try parseArgumentList()
        guard arguments.count == 2 else { throw error(.argumentCount(function: "CAST"), at: start) }
        let level = try level(above: depth, at: start)
        guard case .constant(.string(let type)) = arguments[1] else {
            return Node(.function(PredicateFunction.cast, arguments), start: start, depth: level)
        }
        return Node(.cast(arguments[0], to: type), start: start, depth: level)
    }

    /// Reads `SUBQUERY(collection, $variable, predicate)`.
    mutating func parseSubquery() throws(PredicateFormatError) -> Node {
        let start = current.start
        advance()
        try expect(.openParenthesis)
        let collection = try parseExpression()
        try expect(.comma)
        guard case .variable(let variable) = current.kind else { throw unexpected("a $variable") }
        advance()
        try expect(.comma)
        let node = try parseNode(.or)
        let part = try predicate(node)
        guard accept(.closeParenthesis) else { throw unexpected(after: node) }
        let level = try level(above: collection.depth, part.depth, at: start)
        return Node(
            .subquery(collection.tree, variable: variable, predicate: part.tree), start: start,
            depth: level)
    }

    /// Reads `TERNARY(predicate, a, b)`.
    mutating func parseTernary() throws(PredicateFormatError) -> Node {
        let start = current.start
        advance()
        try expect(.openParenthesis)
        let node = try parseNode(.or)
        let condition = try predicate(node)
        try expect(.comma)
        let first = try parseExpression()
        try expect(.comma)
        let second = try parseExpression()
        try expect(.closeParenthesis)
        let level = try level(above: condition.depth, first.depth, second.depth, at: start)
        return Node(.conditional(condition.tree, first.tree, second.tree), start: start, depth: level)
    }

    /// Reads `FETCH(request, context, countOnly)`.
    mutating func parseFetch() throws(PredicateFormatError) -> Node {
        let start = current.start
        advance()
        let (arguments, depth) = try parseArgumentList()
        guard arguments.count == 3 else { throw error(.argumentCount(function: "FETCH"), at: start) }
        let level = try level(above: depth, at: start)
        return Node(
            .fetch(request: arguments[0], context: arguments[1], countOnly: arguments[2]), start: start,
            depth: level)
    }
}
