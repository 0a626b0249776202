import Predicates

extension TextMatch {
    /// Whether a text matches: what every engine's SQL answers with, by the functions that predicates are
    /// evaluated with in memory, so that all agree.
    public func accepts(_ text: String) -> Bool { accepts(text, check: {}) }

    /// The same.
    ///
    /// - Parameters:
    ///   - text: the text to look at.
    ///   - check: called now and then while it takes long; what it throws ends the work.
    public func accepts(_ text: String, check: () throws -> Void) rethrows -> Bool {
        var options: PredicateOptions = []
        if ignoresCase { options.insert(.caseInsensitive) }
        if ignoresDiacritics { options.insert(.diacriticInsensitive) }
        switch kind {
        case .equal: return StringFolding.areEqual(text, pattern, options: options)
        case .notEqual: return !StringFolding.areEqual(text, pattern, options: options)
        case .contains: return try StringFolding.contains(text, pattern, options: options, check: check)
        case .beginsWith: return StringFolding.begins(text, with: pattern, options: options)
        case .endsWith: return StringFolding.ends(text, with: pattern, options: options)
        case .like: return try StringFolding.isLike(text, pattern, options: options, check: check)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            let order = StringFolding.compare(text, pattern, options: options)
            return switch kind {
            case .less: order == .ascending
            case .lessOrEqual: order != .descending
            case .greater: order == .descending
            default: order != .ascending
            }
        }
    }
}
