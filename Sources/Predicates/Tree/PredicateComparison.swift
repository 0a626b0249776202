/// Two expressions, the operator between them, and how it is applied.
public struct PredicateComparison: Hashable, Sendable {
    /// Whether the left side is one value or a collection of which any or all elements must match.
    public var modifier: PredicateModifier
    /// The expression before the operator.
    public var left: ExpressionTree
    /// The operator.
    public var `operator`: PredicateOperator
    /// The expression after the operator.
    public var right: ExpressionTree
    /// How strings are compared.
    public var options: PredicateOptions

    /// Makes a comparison from its parts. A range of Swift after `BETWEEN` is its two bounds, both of which belong to it.
    public init(
        modifier: PredicateModifier = .direct, left: ExpressionTree, operator: PredicateOperator,
        right: ExpressionTree, options: PredicateOptions = []
    ) {
        self.modifier = modifier
        self.left = left
        self.operator = `operator`
        self.right = `operator` == .between ? right.asBounds : right
        self.options = options
    }
}

/// How the left side of a comparison is taken.
public enum PredicateModifier: Hashable, Sendable, CaseIterable {
    /// The left side is one value.
    case direct
    /// `ALL`: every element of the left side matches; an empty collection does.
    case all
    /// `ANY` or `SOME`: one element of the left side matches; none of an empty collection does.
    case any
}

/// The operators of the format language.
public enum PredicateOperator: Hashable, Sendable, CaseIterable {
    /// `<`
    case lessThan
    /// `<=`
    case lessThanOrEqualTo
    /// `>`
    case greaterThan
    /// `>=`
    case greaterThanOrEqualTo
    /// `==`
    case equalTo
    /// `!=`
    case notEqualTo
    /// `MATCHES`: the whole string matches a regular expression.
    case matches
    /// `LIKE`: the whole string matches a pattern of `?` (one character) and `*` (any run).
    case like
    /// `BEGINSWITH`
    case beginsWith
    /// `ENDSWITH`
    case endsWith
    /// `IN`: the left value is an element, or a substring, of the right one.
    case `in`
    /// `CONTAINS`: the right value is an element, or a substring, of the left one.
    case contains
    /// `BETWEEN`: the left value lies between two bounds, which belong to the range.
    case between
    /// `UTI-CONFORMS-TO`
    case utiConformsTo
    /// `UTI-EQUALS`
    case utiEquals

    /// The operator as the normal form writes it.
    public var symbol: String {
        switch self {
        case .lessThan: "<"
        case .lessThanOrEqualTo: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqualTo: ">="
        case .equalTo: "=="
        case .notEqualTo: "!="
        case .matches: "MATCHES"
        case .like: "LIKE"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .in: "IN"
        case .contains: "CONTAINS"
        case .between: "BETWEEN"
        case .utiConformsTo: "UTI-CONFORMS-TO"
        case .utiEquals: "UTI-EQUALS"
        }
    }
}

/// How strings are compared: the letters in brackets after an operator.
public struct PredicateOptions: OptionSet, Hashable, Sendable {
    /// One bit for each option.
    public let rawValue: UInt

    /// Makes a set of options from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// `c`: upper and lower case are equal.
    public static let caseInsensitive = PredicateOptions(rawValue: 1)
    /// `d`: letters with and without accents are equal.
    public static let diacriticInsensitive = PredicateOptions(rawValue: 2)
    /// `n`: both strings were folded before, so they are compared as they are, whatever `c` and `d` say.
    public static let normalized = PredicateOptions(rawValue: 4)
    /// `l`: `<`, `<=`, `>`, `>=` order strings by the rules of the current locale.
    public static let localeSensitive = PredicateOptions(rawValue: 8)

    /// The letters in the order in which the normal form writes them.
    public var letters: String {
        var letters = ""
        if contains(.caseInsensitive) { letters += "c" }
        if contains(.diacriticInsensitive) { letters += "d" }
        if contains(.normalized) { letters += "n" }
        if contains(.localeSensitive) { letters += "l" }
        return letters
    }
}
