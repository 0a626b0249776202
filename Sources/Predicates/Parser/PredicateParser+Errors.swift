extension PredicateParser {
    func error(_ kind: PredicateFormatError.Kind) -> PredicateFormatError { error(kind, at: current.start) }

    func error(
        _ kind: PredicateFormatError.Kind, at offset: Int, suggestion: String? = nil
    ) -> PredicateFormatError {
        PredicateFormatError(kind, source: source, offset: offset, suggestion: suggestion)
    }

    /// An error about the current token, where something else is needed.
    func unexpected(_ expected: String, suggestion: String? = nil) -> PredicateFormatError {
        let found = current.kind == .end ? "the end" : "'\(text(of: current))'"
        return error(
            .unexpected(found: found, expected: expected), at: current.start, suggestion: suggestion)
    }

    /// An error about the current token after a whole node: usually an operator with a typing mistake.
    func unexpected(after node: Node) -> PredicateFormatError {
        switch node.content {
        case .predicate:
            return unexpected("AND, OR or the end", suggestion: suggestion(among: ["AND", "OR"]))
        case .expression:
            if case .keyword(.not, _) = current.kind, case .keyword(.in, _) = following.kind {
                return unexpected("an operator", suggestion: "NOT \(text(from: node)) IN …")
            }
            return unexpected(
                "an operator", suggestion: suggestion(among: PredicateOperator.allCases.map(\.symbol)))
        }
    }

    private func suggestion(among words: [String]) -> String? {
        switch current.kind {
        case .identifier(let name), .keyword(_, let name): Suggestion.nearest(to: name, among: words)
        default: nil
        }
    }

    /// The predicate that a node is; an error when it is a value.
    func predicate(_ node: Node) throws(PredicateFormatError) -> PredicateNode {
        switch node.content {
        case .predicate(let tree): return PredicateNode(tree: tree, depth: node.depth)
        case .expression:
            guard isAtEndOfPredicate else { throw unexpected(after: node) }
            throw error(.notAPredicate(text(from: node)), at: node.start)
        }
    }

    /// Whether the current token closes a predicate; if not, the mistake is there.
    private var isAtEndOfPredicate: Bool {
        switch current.kind {
        case .end, .symbol(.closeParenthesis), .symbol(.comma), .symbol(.and), .symbol(.or),
            .keyword(.and, _), .keyword(.or, _):
            true
        default: false
        }
    }

    /// The expression that a node is; an error when it is a predicate.
    func expression(_ node: Node) throws(PredicateFormatError) -> ExpressionNode {
        switch node.content {
        case .expression(let tree):
            return ExpressionNode(tree: tree, start: node.start, depth: node.depth)
        case .predicate: throw error(.notAnExpression, at: node.start)
        }
    }

    private func text(of token: Token) -> String {
        String(decoding: source.bytes[token.start..<token.end], as: UTF8.self)
    }

    /// The text from the start of a node to the current token.
    private func text(from node: Node) -> String {
        let end = position > 0 ? tokens[position - 1].end : node.start
        return String(decoding: source.bytes[node.start..<max(end, node.start)], as: UTF8.self)
    }
}
