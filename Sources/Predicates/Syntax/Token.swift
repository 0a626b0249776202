internal import Foundation

/// One word, literal or sign of a format string, with its position in bytes.
struct Token {
    /// What the token is.
    enum Kind: Equatable {
        case identifier(String)
        /// An identifier that is a reserved word; the text keeps the letter case.
        case keyword(Keyword, String)
        /// `#name`: never a reserved word.
        case escaped(String)
        /// `@name`, with the sign.
        case atIdentifier(String)
        case variable(String)
        case string(String)
        case number(NumberLiteral)
        /// `%…` with its position when it was written `%2$@`.
        case argument(conversion: String, position: Int?)
        case symbol(Symbol)
        case end
    }

    let kind: Kind
    let start: Int
    let end: Int
}

/// A number without its sign.
enum NumberLiteral: Equatable {
    case integer(UInt64)
    case decimal(Decimal)
    case double(Double)
}

/// The signs of the language. Several spellings of one operator are one symbol.
enum Symbol: String, CaseIterable {
    case openParenthesis = "("
    case closeParenthesis = ")"
    case openBrace = "{"
    case closeBrace = "}"
    case openBracket = "["
    case closeBracket = "]"
    case comma = ","
    case dot = "."
    case colon = ":"
    case assign = ":="
    case plus = "+"
    case minus = "-"
    case times = "*"
    case power = "**"
    case divide = "/"
    case modulus = "%%"
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "&&"
    case or = "||"
    case not = "!"
    case bitAnd = "&"
    case bitOr = "|"
    case bitXor = "^"
    case complement = "~"
    case shiftLeft = "<<"
    case shiftRight = ">>"

    /// The operator that the sign stands for between two expressions.
    var comparison: PredicateOperator? {
        switch self {
        case .equal: .equalTo
        case .notEqual: .notEqualTo
        case .less: .lessThan
        case .lessOrEqual: .lessThanOrEqualTo
        case .greater: .greaterThan
        case .greaterOrEqual: .greaterThanOrEqualTo
        default: nil
        }
    }
}
