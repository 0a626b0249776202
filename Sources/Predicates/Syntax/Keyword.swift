/// The reserved words, in the spelling of the normal form. Case does not matter in text.
enum Keyword: String, CaseIterable {
    case and = "AND"
    case or = "OR"
    case not = "NOT"
    case any = "ANY"
    case some = "SOME"
    case all = "ALL"
    case none = "NONE"
    case `in` = "IN"
    case like = "LIKE"
    case matches = "MATCHES"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case between = "BETWEEN"
    case utiConformsTo = "UTI-CONFORMS-TO"
    case utiEquals = "UTI-EQUALS"
    case null = "NULL"
    case `nil` = "NIL"
    case `true` = "TRUE"
    case yes = "YES"
    case `false` = "FALSE"
    case no = "NO"
    case selfObject = "SELF"
    case anyKey = "ANYKEY"
    case first = "FIRST"
    case last = "LAST"
    case size = "SIZE"
    case subquery = "SUBQUERY"
    case fetch = "FETCH"
    case cast = "CAST"
    case truePredicate = "TRUEPREDICATE"
    case falsePredicate = "FALSEPREDICATE"
    case caseInsensitive = "CASEINSENSITIVE"
    case ci = "CI"

    private static let byWord = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
    private static let longest = 15

    /// The reserved word that a piece of text is, or nil.
    init?(word: String) {
        guard word.utf8.count <= Self.longest, let keyword = Self.byWord[word.uppercased()] else {
            return nil
        }
        self = keyword
    }

    /// The operator that the word stands for between two expressions.
    var comparison: PredicateOperator? {
        switch self {
        case .in: .in
        case .like: .like
        case .matches: .matches
        case .contains: .contains
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .between: .between
        case .utiConformsTo: .utiConformsTo
        case .utiEquals: .utiEquals
        default: nil
        }
    }

    /// Whether a key of this name can be written without `#`.
    ///
    /// `first`, `last` and `size` only mean something between brackets, and are frequent keys.
    var isFreeAsKey: Bool {
        switch self {
        case .first, .last, .size, .caseInsensitive, .ci, .subquery, .fetch, .cast: true
        default: false
        }
    }
}
