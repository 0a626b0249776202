internal import Foundation

extension ExpressionTree {
    /// A path from the evaluated object, from text such as `a.b.@count`; nil when a part is empty.
    public static func path(_ text: String) -> ExpressionTree? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        return parts.first == "SELF" ? path(Array(parts.dropFirst()), of: .selfObject) : .keyPath(parts)
    }

    /// The path `parts` from `base`, joined with the path that `base` may be.
    public static func path(_ parts: [String], of base: ExpressionTree) -> ExpressionTree {
        guard !parts.isEmpty else { return base }
        switch base {
        case .selfObject: return .keyPath(parts)
        case .keyPath(let start): return .keyPath(start + parts)
        case .member(let root, let start): return .member(root, start + parts)
        default: return .member(base, parts)
        }
    }

    /// `{…}`: a constant list when every element is a constant, or else an aggregate.
    public static func list(_ elements: [ExpressionTree]) -> ExpressionTree {
        var values: [PredicateValue] = []
        for element in elements {
            guard case .constant(let value) = element else { return .aggregate(elements) }
            values.append(value)
        }
        return .constant(.list(values))
    }

    /// `CAST(operand, "type")`: a constant when the operand is one and the type is known.
    ///
    /// A date has no literal of its own, so `CAST(0, "NSDate")` has to be a constant, or a printed
    /// date would not parse back to the same tree.
    public static func cast(_ operand: ExpressionTree, to type: String) -> ExpressionTree {
        if case .constant(let value) = operand, let result = PredicateCast.literal(value, type: type) {
            return .constant(result)
        }
        return .function(PredicateFunction.cast, [operand, .constant(.string(type))])
    }
}
