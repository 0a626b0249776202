/// Reads tokens into a tree, by precedence climbing.
struct PredicateParser {
    let source: SourceText
    let tokens: [Token]
    let arguments: ArgumentSource
    var position = 0
    var argumentCount = 0
    private var depth = 0

    init(_ text: String, arguments: ArgumentSource) throws(PredicateFormatError) {
        source = SourceText(text)
        tokens = try Lexer.tokens(of: source)
        self.arguments = arguments
    }

    /// Reads the whole text as a predicate.
    mutating func parsePredicateText() throws(PredicateFormatError) -> PredicateTree {
        guard current.kind != .end else { throw error(.empty) }
        let node = try parseNode(.or)
        try expectEnd(after: node)
        return try predicate(node).tree
    }

    /// Reads the whole text as an expression.
    mutating func parseExpressionText() throws(PredicateFormatError) -> ExpressionTree {
        guard current.kind != .end else { throw error(.empty) }
        let node = try parseNode(.or)
        try expectEnd(after: node)
        return try expression(node).tree
    }

    private func expectEnd(after node: Node) throws(PredicateFormatError) {
        guard current.kind == .end else { throw unexpected(after: node) }
    }

    // MARK: Tokens

    var current: Token { tokens[position] }

    /// The token after the current one; the last token repeats.
    var following: Token { tokens[min(position + 1, tokens.count - 1)] }

    mutating func advance() { if position < tokens.count - 1 { position += 1 } }

    func isAt(_ symbol: Symbol) -> Bool { current.kind == .symbol(symbol) }

    func isFollowed(by symbol: Symbol) -> Bool { following.kind == .symbol(symbol) }

    mutating func accept(_ symbol: Symbol) -> Bool {
        guard isAt(symbol) else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: Symbol) throws(PredicateFormatError) {
        guard accept(symbol) else { throw unexpected("'\(symbol.rawValue)'") }
    }

    // MARK: Depth

    /// Runs one level deeper.
    mutating func nested<Result>(
        _ body: (inout PredicateParser) throws(PredicateFormatError) -> Result
    ) throws(PredicateFormatError) -> Result {
        depth += 1
        guard depth <= SyntaxLimits.maximumNesting else { throw error(.tooDeep) }
        let result = try body(&self)
        depth -= 1
        return result
    }

    /// One more than the deepest part, or an error when the tree becomes too deep.
    func level(above depths: Int..., at start: Int) throws(PredicateFormatError) -> Int {
        let level = (depths.max() ?? 0) + 1
        guard level <= SyntaxLimits.maximumDepth else { throw error(.tooDeep, at: start) }
        return level
    }
}
