import Foundation

extension TextMatch {
    /// Whether a text matches: what every engine's SQL answers with, so that all agree.
    public func accepts(_ text: String) -> Bool {
        let text = folded(text)
        let pattern = kind == .matches ? pattern : folded(pattern)
        switch kind {
        case .equal: return text == pattern
        case .notEqual: return text != pattern
        case .less: return text < pattern
        case .lessOrEqual: return text <= pattern
        case .greater: return text > pattern
        case .greaterOrEqual: return text >= pattern
        case .contains: return pattern.isEmpty || text.contains(pattern)
        case .beginsWith: return text.hasPrefix(pattern)
        case .endsWith: return text.hasSuffix(pattern)
        case .like: return Self.like(Array(text), Array(pattern))
        case .matches:
            let options: NSRegularExpression.Options = ignoresCase ? [.caseInsensitive] : []
            guard let expression = try? NSRegularExpression(pattern: pattern, options: options) else { return false }
            let range = NSRange(text.startIndex..., in: text)
            // Anchored at both ends: MATCHES means the whole text.
            return expression.firstMatch(in: text, options: [.anchored], range: range)?.range == range
        }
    }

    private func folded(_ text: String) -> String {
        var options: String.CompareOptions = []
        if ignoresCase { options.insert(.caseInsensitive) }
        if ignoresDiacritics { options.insert(.diacriticInsensitive) }
        return options.isEmpty ? text : text.folding(options: options, locale: nil)
    }

    /// Whether text matches a pattern in which `?` stands for one character and `*` for any run.
    ///
    /// Goes back to the last star only, so the time is at most text times pattern.
    private static func like(_ text: [Character], _ pattern: [Character]) -> Bool {
        var position = 0
        var index = 0
        var star: (index: Int, position: Int)?
        while position < text.count {
            if index < pattern.count, pattern[index] == "*" {
                star = (index, position)
                index += 1
            } else if index < pattern.count, pattern[index] == "?" || pattern[index] == text[position] {
                index += 1
                position += 1
            } else if let last = star {
                star = (last.index, last.position + 1)
                index = last.index + 1
                position = last.position + 1
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == "*" }
    }
}
