/// Writes a tree as text in the normal form.
///
/// The form is Apple's (`==`, `AND`, double quotes, `CAST(0.0, "NSDate")`), with parentheses around operations inside
/// operations, and else only where the text would mean something else without them. It differs where Apple's text does not parse back: `YES`
/// is not written as 1, and a whole-number double keeps its `.0`.
struct PredicatePrinter {
    private(set) var text = ""
    /// The number of placeholders that were written without a position.
    var argumentCount = 0

    /// The text of a predicate.
    static func text(_ tree: PredicateTree) -> String {
        var printer = PredicatePrinter()
        printer.write(tree, within: .or)
        return printer.text
    }

    /// The text of an expression.
    static func text(_ tree: ExpressionTree) -> String {
        var printer = PredicatePrinter()
        printer.write(tree, within: .assignment)
        return printer.text
    }

    mutating func write(_ string: String) { text += string }

    /// Writes a predicate where everything looser than `minimum` needs parentheses.
    mutating func write(_ tree: PredicateTree, within minimum: Precedence) {
        switch tree {
        case .constant(let value): write(value ? "TRUEPREDICATE" : "FALSEPREDICATE")
        case .comparison(let comparison): write(comparison)
        case .and(let parts): writeChain(parts, " AND ", .and, empty: "TRUEPREDICATE", within: minimum)
        case .or(let parts): writeChain(parts, " OR ", .or, empty: "FALSEPREDICATE", within: minimum)
        case .not(let part):
            write("NOT ")
            write(part, within: .not)
        }
    }

    private mutating func writeChain(
        _ parts: [PredicateTree], _ separator: String, _ precedence: Precedence, empty: String,
        within minimum: Precedence
    ) {
        guard parts.count > 1 else {
            if let part = parts.first { write(part, within: minimum) } else { write(empty) }
            return
        }
        parenthesized(precedence < minimum) { printer in
            for (index, part) in parts.enumerated() {
                if index > 0 { printer.write(separator) }
                // A chain inside a chain keeps its parentheses, or the two would become one.
                printer.write(part, within: precedence.next)
            }
        }
    }

    mutating func parenthesized(_ isNeeded: Bool, _ body: (inout PredicatePrinter) -> Void) {
        if isNeeded { write("(") }
        body(&self)
        if isNeeded { write(")") }
    }

    private mutating func write(_ comparison: PredicateComparison) {
        switch comparison.modifier {
        case .direct: break
        case .any: write("ANY ")
        case .all: write("ALL ")
        }
        write(comparison.left, within: .set)
        write(" " + comparison.operator.symbol)
        if !comparison.options.isEmpty { write("[\(comparison.options.letters)]") }
        write(" ")
        write(comparison.right, within: .set)
    }
}

extension PredicateTree: CustomStringConvertible {
    /// The normal form; see ``PredicateTree``.
    public var description: String { PredicatePrinter.text(self) }
}

extension ExpressionTree: CustomStringConvertible {
    /// The normal form; `ExpressionTree(parsing:)` reads it back.
    public var description: String { PredicatePrinter.text(self) }
}

extension PredicateValue: CustomStringConvertible {
    /// The value as a literal of the format language.
    public var description: String { PredicatePrinter.text(.constant(self)) }
}
