internal import Foundation

/// How the language compares strings, in one place, so that a SQL function which calls it and the
/// in-memory evaluation cannot disagree.
///
/// After folding, strings are equal when their UTF-8 bytes are, which is how SQLite compares text too.
public enum StringFolding {
    /// The string to compare under the options.
    ///
    /// `c` folds case and `d` removes accents, both without a locale; `n` says that it was done before.
    /// Without options the string comes back as it is.
    public static func fold(_ string: String, options: PredicateOptions) -> String {
        if options.contains(.normalized) { return string }
        var folding: String.CompareOptions = []
        if options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
        if folding.isEmpty { return string }
        if string.utf8.allSatisfy({ $0 < 0x80 }) {
            return folding.contains(.caseInsensitive) ? string.lowercased() : string
        }
        return string.folding(options: folding, locale: nil)
    }

    /// Whether two strings are equal under the options.
    public static func areEqual(_ first: String, _ second: String, options: PredicateOptions) -> Bool {
        fold(first, options: options).utf8.elementsEqual(fold(second, options: options).utf8)
    }

    /// The order of two strings under the options: by bytes, or by the current locale with `l`.
    public static func compare(
        _ first: String, _ second: String, options: PredicateOptions
    ) -> ComparisonOrder {
        let first = fold(first, options: options)
        let second = fold(second, options: options)
        if options.contains(.localeSensitive) {
            return ComparisonOrder(first.compare(second, options: [], range: nil, locale: .current).rawValue)
        }
        if first.utf8.elementsEqual(second.utf8) { return .equal }
        return first.utf8.lexicographicallyPrecedes(second.utf8) ? .ascending : .descending
    }

    /// About how many comparisons of characters pass between two calls of `check`: less than a millisecond.
    static let stepsPerCheck = 16_384

    /// Whether one string is a part of another under the options. The empty string is a part of every one.
    public static func contains(_ string: String, _ part: String, options: PredicateOptions) -> Bool {
        contains(string, part, options: options, check: {})
    }

    /// The same.
    ///
    /// - Parameters:
    ///   - string: the text to look in.
    ///   - part: what is looked for.
    ///   - options: what the comparison ignores.
    ///   - check: called now and then while it takes long; what it throws ends the work.
    public static func contains(
        _ string: String, _ part: String, options: PredicateOptions, check: () throws -> Void
    ) rethrows -> Bool {
        try FoldedText(string, options: options).contains(part, check: check)
    }

    /// Whether a string begins with another under the options.
    public static func begins(_ string: String, with part: String, options: PredicateOptions) -> Bool {
        fold(string, options: options).utf8.starts(with: fold(part, options: options).utf8)
    }

    /// Whether a string ends with another under the options.
    public static func ends(_ string: String, with part: String, options: PredicateOptions) -> Bool {
        fold(string, options: options).utf8.reversed()
            .starts(with: fold(part, options: options).utf8.reversed())
    }

    /// Whether the whole string matches a `LIKE` pattern under the options.
    ///
    /// `?` is one character, `*` any run, and a backslash takes the next character as it is. The time grows with the text's length
    /// alone; with `?` in it, by a 64th of the pattern's besides.
    public static func isLike(_ string: String, _ pattern: String, options: PredicateOptions) -> Bool {
        isLike(string, pattern, options: options, check: {})
    }

    /// The same.
    ///
    /// - Parameters:
    ///   - string: the text to look at.
    ///   - pattern: what it has to be like as a whole.
    ///   - options: what the comparison ignores.
    ///   - check: called now and then while it takes long; what it throws ends the work.
    public static func isLike(
        _ string: String, _ pattern: String, options: PredicateOptions, check: () throws -> Void
    ) rethrows -> Bool {
        try FoldedText(string, options: options).isLike(pattern, check: check)
    }
}

/// The order of two values.
public enum ComparisonOrder: Hashable, Sendable {
    /// The first value is smaller.
    case ascending
    /// The values are equal.
    case equal
    /// The first value is larger.
    case descending

    /// The order for a negative number, zero or a positive number.
    init(_ sign: Int) { self = sign < 0 ? .ascending : sign > 0 ? .descending : .equal }

    /// The order of two comparable values.
    init<Value: Comparable>(_ first: Value, _ second: Value) {
        self = first < second ? .ascending : first > second ? .descending : .equal
    }
}
