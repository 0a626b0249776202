import Predicates

extension TextMatch {
    /// What the comparison ignores, as the functions that predicates are evaluated with take it.
    var options: PredicateOptions {
        var options: PredicateOptions = []
        if ignoresCase { options.insert(.caseInsensitive) }
        if ignoresDiacritics { options.insert(.diacriticInsensitive) }
        return options
    }

    /// Whether a text matches: what every engine's SQL answers with, by the functions that predicates are
    /// evaluated with in memory, so that all agree.
    public func accepts(_ text: String) -> Bool { accepts(FoldedText(text, options: options)) }

    /// The same, of a text that is folded already.
    func accepts(_ text: FoldedText) -> Bool { accepts(text, check: {}) }

    /// The same, of a text that is folded for this comparison or for one that ignores the same.
    ///
    /// - Parameters:
    ///   - text: the text to look at.
    ///   - check: called now and then while it takes long; what it throws ends the work.
    func accepts(_ text: FoldedText, check: () throws -> Void) rethrows -> Bool {
        switch kind {
        case .equal: return text.isEqual(to: pattern)
        case .notEqual: return !text.isEqual(to: pattern)
        case .contains: return try text.contains(pattern, check: check)
        case .beginsWith: return text.begins(with: pattern)
        case .endsWith: return text.ends(with: pattern)
        case .like: return try text.isLike(pattern, check: check)
        case .less: return text.order(to: pattern) == .ascending
        case .lessOrEqual: return text.order(to: pattern) != .descending
        case .greater: return text.order(to: pattern) == .descending
        case .greaterOrEqual: return text.order(to: pattern) != .ascending
        }
    }
}
