/// The functions of the language, by Apple's selectors.
///
/// Source: Documentation/CoreDataStore.md, 'Functions'.
public enum PredicateFunction {
    /// `CAST(x, "type")`
    public static let cast = "castObject:toType:"
    /// `a + b`
    public static let add = "add:to:"
    /// `a - b`
    public static let subtract = "from:subtract:"
    /// `a * b`
    public static let multiply = "multiply:by:"
    /// `a / b`
    public static let divide = "divide:by:"
    /// `modulus:by:(a, b)`, also written `a %% b`
    public static let modulus = "modulus:by:"
    /// `a ** b`
    public static let power = "raise:toPower:"
    /// `a & b`
    public static let bitwiseAnd = "bitwiseAnd:with:"
    /// `a | b`
    public static let bitwiseOr = "bitwiseOr:with:"
    /// `a ^ b`
    public static let bitwiseXor = "bitwiseXor:with:"
    /// `a << b`
    public static let leftShift = "leftshift:by:"
    /// `a >> b`
    public static let rightShift = "rightshift:by:"
    /// `~a`
    public static let onesComplement = "onesComplement:"

    /// Every selector that the parser accepts.
    public static let selectors: [String] =
        statistics + [
            cast, add, subtract, multiply, divide, modulus, power, bitwiseAnd, bitwiseOr, bitwiseXor,
            leftShift, rightShift, onesComplement, "sqrt:", "log:", "ln:", "exp:", "floor:", "ceiling:",
            "abs:", "trunc:", "random", "random:", "randomn:", "now", "uppercase:", "lowercase:",
            "canonical:", "length:", "noindex:", "distanceToLocation:fromLocation:", "tokenize:using:",
            "objectFrom:withIndex:",
        ]

    /// The functions of a whole collection; several arguments are taken as one collection of them.
    package static let statistics = [
        "sum:", "count:", "min:", "max:", "average:", "median:", "mode:", "stddev:",
    ]

    /// Selectors by what is written before the parenthesis, in lower case.
    private static let byWrittenName: [String: [String]] = {
        var names: [String: [String]] = [:]
        for selector in selectors {
            names[selector.lowercased(), default: []].append(selector)
            let first = selector.prefix { $0 != ":" }.lowercased()
            if first != selector.lowercased(), colons(in: selector) == 1 || selector == "tokenize:using:" {
                names[first, default: []].append(selector)
            }
        }
        return names
    }()

    /// The selector for a written name and a number of arguments, or nil when there is none.
    static func selector(written name: String, argumentCount: Int) -> String? {
        let candidates = byWrittenName[name.lowercased()] ?? []
        return candidates.first { colons(in: $0) == argumentCount }
            ?? candidates.first { argumentCount > 1 && statistics.contains($0) }
    }

    /// Whether any function is written with this name.
    static func isKnown(_ name: String) -> Bool { byWrittenName[name.lowercased()] != nil }

    /// What can be written before a parenthesis, for 'did you mean'.
    static var writtenNames: [String] {
        selectors.map { colons(in: $0) == 1 ? String($0.dropLast()) : $0 }
    }

    /// The number of arguments that a selector names.
    static func colons(in selector: String) -> Int { selector.utf8.count { $0 == UInt8(ascii: ":") } }
}
