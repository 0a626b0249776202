import Foundation
import Predicates
import TestSeeds

/// Random trees in the form that the parser gives.
struct RandomTree {
    var random: Random

    init(seed: UInt64) { random = Random(seed: seed) }

    private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    mutating func predicate(depth: Int) -> PredicateTree {
        switch below(depth > 0 ? 8 : 3) {
        case 0: .constant(below(2) == 0)
        case 3: .and(parts(depth))
        case 4: .or(parts(depth))
        case 5: .not(predicate(depth: depth - 1))
        default: comparison(depth: depth)
        }
    }

    private mutating func parts(_ depth: Int) -> [PredicateTree] {
        (0..<(2 + below(3))).map { _ in predicate(depth: depth - 1) }
    }

    private mutating func comparison(depth: Int) -> PredicateTree {
        .compare(
            expression(depth: depth - 1), pick(PredicateOperator.allCases), expression(depth: depth - 1),
            modifier: pick(PredicateModifier.allCases), options: PredicateOptions(rawValue: UInt(below(16))))
    }

    mutating func expression(depth: Int) -> ExpressionTree {
        guard depth > 0 else { return leaf() }
        let next = depth - 1
        switch below(13) {
        case 0...2: return leaf()
        case 3: return .path(keys(), of: expression(depth: next))
        case 4:
            return .function(
                pick([
                    "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "raise:toPower:",
                    "modulus:by:",
                    "bitwiseAnd:with:", "bitwiseOr:with:", "bitwiseXor:with:", "leftshift:by:",
                    "rightshift:by:",
                    "distanceToLocation:fromLocation:", "tokenize:using:", "objectFrom:withIndex:",
                ]),
                [expression(depth: next), expression(depth: next)])
        case 5:
            return .function(
                pick([
                    "sum:", "count:", "uppercase:", "onesComplement:", "sqrt:", "length:", "noindex:",
                    "random:",
                ]),
                [expression(depth: next)])
        case 6: return .list((0..<below(4)).map { _ in expression(depth: next) })
        case 7:
            return .subquery(
                expression(depth: next), variable: pick(["x", "y1"]), predicate: predicate(depth: next))
        case 8:
            return .conditional(predicate(depth: next), expression(depth: next), expression(depth: next))
        case 9:
            let index: PredicateIndex = pick([.first, .last, .size, .expression(expression(depth: next))])
            return .index(expression(depth: next), index)
        case 10: return .assignment(variable: "v", expression(depth: next))
        case 11:
            return .setOperation(
                pick(PredicateSetOperation.allCases), expression(depth: next), expression(depth: next))
        default:
            return .message(expression(depth: next), selector: "do:", arguments: [expression(depth: next)])
        }
    }

    private mutating func leaf() -> ExpressionTree {
        switch below(8) {
        case 0: pick([.selfObject, .anyKey, .function("now", []), .function("random", [])])
        case 1: .variable(pick(["x", "_Y2", "FETCH_SOURCE"]))
        case 2, 3: .keyPath(keys())
        case 4: .cast(.keyPath(keys()), to: pick(["NSDate", "Frob"]))
        default: .constant(value(depth: 2))
        }
    }

    private mutating func keys() -> [String] {
        (0..<(1 + below(3))).map { _ in
            pick([
                "a", "b_1", "@count", "@max", "self", "SELF", "in", "first", "LAST", "size", "count", "AND",
                "nil",
                "größe", "名前", "two words", "1st", "a-b", "q\"uote", "any", "TERNARY", "union", "uti", "cast",
                "yes",
                "truepredicate", "e5", "_", "🙂",
            ])
        }
    }

    mutating func value(depth: Int) -> PredicateValue {
        switch below(depth > 0 ? 14 : 11) {
        case 0: return .null
        case 1: return .bool(below(2) == 0)
        case 2: return .int(Int64.random(in: .min ... .max, using: &random))
        case 3: return .int(Int64(below(20) - 10))
        case 4:
            return .double(
                Double(bitPattern: random.next()).nextUp.isNaN ? -0.5 : pick([0.1, -2.0, 1e20, 5e-300]))
        case 5: return .decimal(Decimal(below(1_000)) / 8)
        case 6: return .date(Date(timeIntervalSinceReferenceDate: Double(below(1_000_000)) / 7))
        case 7: return .data(Data((0..<below(5)).map { _ in UInt8(below(256)) }))
        case 8: return .uuid(UUID(uuidString: "00000000-0000-0000-0000-00000000000\(below(10))") ?? UUID())
        case 9, 10: return .string(text())
        case 11: return .list((0..<below(3)).map { _ in value(depth: depth - 1) })
        case 12: return .set(Set((0..<below(3)).map { _ in value(depth: depth - 1) }))
        default: return .dictionary([text(): value(depth: depth - 1)])
        }
    }

    private mutating func text() -> String {
        (0..<below(6)).map { _ in
            pick([
                "a", "Z", " ", "\"", "'", "\\", "\n", "\t", "é", "e\u{301}", "😀", "%@", "$x", "#", "\u{0}",
                "\u{7f}", "\u{feff}",
            ])
        }.joined()
    }
}
