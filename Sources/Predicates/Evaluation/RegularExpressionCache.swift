internal import Foundation
internal import Synchronization

/// Compiled `MATCHES` patterns, because compiling costs far more than matching a short string.
///
/// NB: ICU's expressions backtrack. A pattern such as `(a+)+b` takes exponential time on some strings, and
/// nothing here stops it; a service must not evaluate patterns of strangers.
final class RegularExpressionCache: Sendable {
    /// The number of patterns that are kept; when it is reached, all are dropped.
    static let capacity = 128

    static let shared = RegularExpressionCache()

    private struct Key: Hashable {
        let pattern: String
        let options: PredicateOptions
    }

    private let entries = Mutex<[Key: NSRegularExpression]>([:])

    /// Whether the whole string matches the pattern; an error when the pattern is malformed.
    func matches(
        _ string: String, pattern: String, options: PredicateOptions
    ) throws(PredicateEvaluationError) -> Bool {
        let string = StringFolding.fold(
            string, options: options.intersection([.diacriticInsensitive, .normalized]))
        let range = NSRange(location: 0, length: string.utf16.count)
        let expression = try expression(Key(pattern: pattern, options: options))
        return expression.firstMatch(in: string, options: .anchored, range: range)?.range == range
    }

    private func expression(_ key: Key) throws(PredicateEvaluationError) -> NSRegularExpression {
        if let known = entries.withLock({ $0[key] }) { return known }
        let isCaseInsensitive =
            key.options.contains(.caseInsensitive) && !key.options.contains(.normalized)
        let expression: NSRegularExpression
        do {
            // The group makes alternatives at the top level match as a whole: "a|ab" must match "ab".
            expression = try NSRegularExpression(
                pattern: "(?:" + key.pattern + ")\\z", options: isCaseInsensitive ? .caseInsensitive : [])
        } catch {
            throw PredicateEvaluationError(.badPattern(key.pattern), cause: "\(error)")
        }
        entries.withLock { entries in
            if entries.count >= Self.capacity { entries.removeAll() }
            entries[key] = expression
        }
        return expression
    }
}
