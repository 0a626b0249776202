/// How tightly operators bind, from the loosest to the tightest.
enum Precedence: Int, Comparable {
    case assignment, or, and, not, comparison, set, bitOr, bitXor, bitAnd, shift, sum, product, power, unary

    static func < (left: Precedence, right: Precedence) -> Bool { left.rawValue < right.rawValue }

    /// The next tighter level.
    var next: Precedence { Precedence(rawValue: rawValue + 1) ?? .unary }
}

/// What a token means between two operands.
enum Infix {
    case or
    case and
    case comparison(PredicateOperator)
    /// `TOKENMATCHES`: every word of the right side is among the words of the left one.
    case tokenMatch
    /// `isKindOfClass:` and the like: a method of the left side that says yes or no about the right one.
    case selector(String)
    case set(PredicateSetOperation)
    case function(String, Precedence)

    init?(_ token: Token) {
        switch token.kind {
        case .keyword(.or, _), .symbol(.or): self = .or
        case .keyword(.and, _), .symbol(.and): self = .and
        case .keyword(let keyword, _):
            guard let comparison = keyword.comparison else { return nil }
            self = .comparison(comparison)
        case .identifier(let name) where name.utf8.count == 12 && name.uppercased() == "TOKENMATCHES":
            self = .tokenMatch
        case .identifier(let name):
            guard name.utf8.count <= 9, let operation = PredicateSetOperation(rawValue: name.uppercased())
            else { return nil }
            self = .set(operation)
        case .symbol(let symbol):
            if let comparison = symbol.comparison {
                self = .comparison(comparison)
            } else if let (selector, precedence) = Self.functions[symbol] {
                self = .function(selector, precedence)
            } else {
                return nil
            }
        default: return nil
        }
    }

    var precedence: Precedence {
        switch self {
        case .or: .or
        case .and: .and
        case .comparison, .tokenMatch, .selector: .comparison
        case .set: .set
        case .function(_, let precedence): precedence
        }
    }

    /// The function for a sign between two operands, and how tightly it binds.
    static let functions: [Symbol: (String, Precedence)] = [
        .bitOr: (PredicateFunction.bitwiseOr, .bitOr), .bitXor: (PredicateFunction.bitwiseXor, .bitXor),
        .bitAnd: (PredicateFunction.bitwiseAnd, .bitAnd),
        .shiftLeft: (PredicateFunction.leftShift, .shift),
        .shiftRight: (PredicateFunction.rightShift, .shift), .plus: (PredicateFunction.add, .sum),
        .minus: (PredicateFunction.subtract, .sum), .times: (PredicateFunction.multiply, .product),
        .divide: (PredicateFunction.divide, .product), .modulus: (PredicateFunction.modulus, .product),
        .power: (PredicateFunction.power, .power),
    ]
}
