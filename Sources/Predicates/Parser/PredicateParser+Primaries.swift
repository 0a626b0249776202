extension PredicateParser {
    /// Reads a literal, a key, a variable, an argument, a call, a list or a parenthesis.
    mutating func parsePrimary() throws(PredicateFormatError) -> Node {
        let start = current.start
        switch current.kind {
        case .string(let text): return literal(.string(text))
        case .number(let number): return literal(.init(number, isNegative: false))
        case .keyword(let keyword, let text): return try parseWord(keyword, text)
        case .identifier(let name): return try parseName(name)
        case .escaped(let name), .atIdentifier(let name):
            guard !name.isEmpty else { throw error(.badKeyPath(name)) }
            advance()
            return Node(.keyPath([name]), start: start)
        case .variable(let name): return try parseVariable(name)
        case .argument(let conversion, _): return try parseArgument(conversion)
        case .symbol(.openBrace): return try parseAggregate()
        case .symbol(.openParenthesis): return try parseParenthesis()
        default: throw unexpected("a value")
        }
    }

    private mutating func literal(_ value: PredicateValue) -> Node {
        let start = current.start
        advance()
        return Node(.constant(value), start: start)
    }

    /// Reads a reserved word that stands for a value, begins a call, or is a key after all.
    private mutating func parseWord(
        _ keyword: Keyword, _ text: String
    ) throws(PredicateFormatError) -> Node {
        switch keyword {
        case .null, .nil: return literal(.null)
        case .true, .yes: return literal(.bool(true))
        case .false, .no: return literal(.bool(false))
        case .selfObject, .anyKey:
            let start = current.start
            advance()
            return Node(keyword == .anyKey ? .anyKey : .selfObject, start: start)
        case .subquery where isFollowed(by: .openParenthesis): return try parseSubquery()
        case .fetch where isFollowed(by: .openParenthesis): return try parseFetch()
        case .cast where isFollowed(by: .openParenthesis): return try parseCast()
        case .and, .or:
            guard !isOperandNext else { throw unexpected("a value") }
            return key(text)
        default:
            guard keyword.comparison == nil || !isOperandNext else { throw unexpected("a value") }
            return key(text)
        }
    }

    private var isOperandNext: Bool {
        switch following.kind {
        case .identifier, .string, .number, .variable, .argument, .symbol(.openParenthesis): true
        default: false
        }
    }

    private mutating func key(_ name: String) -> Node {
        let start = current.start
        advance()
        return Node(.keyPath([name]), start: start)
    }

    /// Reads a key or a call.
    private mutating func parseName(_ name: String) throws(PredicateFormatError) -> Node {
        if isFollowed(by: .openParenthesis) {
            switch name.uppercased() {
            case "TERNARY": return try parseTernary()
            case "FUNCTION": return try parseMessage()
            default: return try parseCall()
            }
        }
        if isFollowed(by: .colon) { return try parseCall() }
        return key(name)
    }

    private mutating func parseVariable(_ name: String) throws(PredicateFormatError) -> Node {
        let start = current.start
        advance()
        guard accept(.assign) else { return Node(.variable(name), start: start) }
        let value = try parseExpression()
        let level = try level(above: value.depth, at: start)
        return Node(.assignment(variable: name, value.tree), start: start, depth: level)
    }

    private mutating func parseParenthesis() throws(PredicateFormatError) -> Node {
        let start = current.start
        advance()
        var node = try parseNode(.or)
        guard accept(.closeParenthesis) else {
            if isAt(.comma) { throw unexpected("')'", suggestion: "{…} for a list") }
            throw current.kind == .end ? unexpected("')'") : unexpected(after: node)
        }
        node.start = start
        return node
    }

    private mutating func parseAggregate() throws(PredicateFormatError) -> Node {
        let start = current.start
        advance()
        var elements: [ExpressionTree] = []
        var depth = 0
        while !isAt(.closeBrace) {
            let element = try parseExpression()
            elements.append(element.tree)
            depth = max(depth, element.depth)
            guard accept(.comma) else { break }
        }
        try expect(.closeBrace)
        let level = try level(above: depth, at: start)
        return Node(.list(elements), start: start, depth: level)
    }
}
