internal import Foundation

extension PredicateParser {
    /// Reads a prefix with its operand, or an operand with its path and brackets.
    mutating func parsePrefix() throws(PredicateFormatError) -> Node {
        let start = current.start
        switch current.kind {
        case .keyword(let keyword, _) where !isKey(keyword):
            if let node = try parseKeyword(keyword) { return node }
        case .symbol(.not): return try parseNot()
        case .symbol(.minus): return try parseMinus()
        case .symbol(.complement):
            advance()
            let operand = try parseNode(.unary)
            let argument = try expression(operand)
            let level = try level(above: argument.depth, at: start)
            return Node(
                .function(PredicateFunction.onesComplement, [argument.tree]), start: start, depth: level)
        default: break
        }
        let primary = try parsePrimary()
        return try parsePostfix(primary)
    }

    /// Reads what a reserved word begins when that is more than a value; nil when it is a value.
    private mutating func parseKeyword(_ keyword: Keyword) throws(PredicateFormatError) -> Node? {
        let start = current.start
        switch keyword {
        case .not: return try parseNot()
        case .any, .some, .all, .none: return try parseModified(keyword)
        case .truePredicate, .falsePredicate:
            advance()
            return Node(.constant(keyword == .truePredicate), start: start)
        default: return nil
        }
    }

    private mutating func parseNot() throws(PredicateFormatError) -> Node {
        let start = current.start
        advance()
        let operand = try parseNode(.not)
        let part = try predicate(operand)
        let level = try level(above: part.depth, at: start)
        return Node(.not(part.tree), start: start, depth: level)
    }

    /// Reads a negative number, or the difference from zero of anything else.
    private mutating func parseMinus() throws(PredicateFormatError) -> Node {
        let start = current.start
        advance()
        if case .number(let literal) = current.kind {
            advance()
            if !isAt(.dot), !isAt(.openBracket) {
                return Node(.constant(.init(literal, isNegative: true)), start: start)
            }
            position -= 1
        }
        let operand = try parseNode(.unary)
        let argument = try expression(operand)
        let level = try level(above: argument.depth, at: start)
        let zero = ExpressionTree.constant(.int(0))
        return Node(
            .function(PredicateFunction.subtract, [zero, argument.tree]), start: start, depth: level)
    }

    /// Whether a reserved word is only a key here: words such as `in`, `any` and `like` are names of real
    /// attributes, and what follows decides.
    private func isKey(_ keyword: Keyword) -> Bool {
        switch keyword {
        case .any, .some, .all, .none, .not: !beginsOperand(following)
        case .and, .or, .in, .like, .matches, .contains, .beginsWith, .endsWith, .between,
            .utiConformsTo, .utiEquals:
            !beginsOperand(following)
        case .subquery, .fetch, .cast: !isFollowed(by: .openParenthesis)
        case .first, .last, .size, .caseInsensitive, .ci: true
        default: false
        }
    }

    /// Whether a token can begin an operand.
    private func beginsOperand(_ token: Token) -> Bool {
        switch token.kind {
        case .keyword(let keyword, _): keyword.comparison == nil && keyword != .and && keyword != .or
        case .identifier, .escaped, .atIdentifier, .variable, .string, .number, .argument: true
        case .symbol(let symbol):
            symbol == .openParenthesis || symbol == .openBrace || symbol == .minus || symbol == .complement
                || symbol == .not
        case .end: false
        }
    }

    /// Reads paths and brackets after an operand.
    mutating func parsePostfix(_ operand: Node) throws(PredicateFormatError) -> Node {
        guard case .expression(var tree) = operand.content else { return operand }
        var depth = operand.depth
        while true {
            if accept(.dot) {
                switch try parsePathPart() {
                case .parts(let parts): tree = .path(parts, of: tree)
                case .placeholder(let argument):
                    depth = try level(above: depth, at: operand.start)
                    tree = .memberArgument(tree, argument)
                }
            } else if accept(.openBracket) {
                let (index, indexDepth) = try parseIndex()
                depth = try level(above: depth, indexDepth, at: operand.start)
                tree = .index(tree, index)
            } else {
                return Node(tree, start: operand.start, depth: depth)
            }
            if case .member = tree { depth = try level(above: depth, at: operand.start) }
        }
    }

    /// Reads what follows a dot; reserved words are keys there.
    private mutating func parsePathPart() throws(PredicateFormatError) -> KeyPathPart {
        switch current.kind {
        case .identifier(let name), .keyword(_, let name), .escaped(let name), .atIdentifier(let name):
            guard !name.isEmpty else { throw error(.badKeyPath(name)) }
            advance()
            return .parts([name])
        case .argument(let conversion, _) where conversion == "K": return try parseKeyPathArgument()
        default: throw unexpected("a key")
        }
    }

    private mutating func parseIndex() throws(PredicateFormatError) -> (PredicateIndex, Int) {
        if case .keyword(let keyword, _) = current.kind, isFollowed(by: .closeBracket) {
            let fixed: PredicateIndex? =
                switch keyword {
                case .first: .first
                case .last: .last
                case .size: .size
                default: nil
                }
            if let fixed {
                advance()
                advance()
                return (fixed, 1)
            }
        }
        let index = try parseExpression()
        try expect(.closeBracket)
        return (.expression(index.tree), index.depth)
    }
}

extension PredicateValue {
    /// The value of a number in text. What does not fit `Int64` is kept exactly, as a decimal.
    init(_ literal: NumberLiteral, isNegative: Bool) {
        switch literal {
        case .integer(let magnitude):
            if let value = Int64(exactly: magnitude) {
                self = .int(isNegative ? -value : value)
            } else if isNegative, magnitude == Int64.min.magnitude {
                self = .int(.min)
            } else {
                self = .decimal(isNegative ? -Decimal(magnitude) : Decimal(magnitude))
            }
        case .decimal(let value): self = .decimal(isNegative ? -value : value)
        case .double(let value): self = .double(isNegative ? -value : value)
        }
    }
}
