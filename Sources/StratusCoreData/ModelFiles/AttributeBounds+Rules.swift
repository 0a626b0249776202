internal import Foundation

extension AttributeBounds {
    /// The bounds as Apple's models list them: predicates on `SELF`, each with the code of its error.
    func rules(isDate: Bool) -> [(predicate: NSPredicate, code: Int)] {
        var rules: [(NSPredicate, Int)] = []
        func add(_ left: ExpressionTree, _ kind: PredicateOperator, _ value: PredicateValue, _ code: Int) {
            rules.append((NSPredicate(PredicateTree.compare(left, kind, .constant(value))), code))
        }
        func value(_ number: Decimal) -> PredicateValue {
            guard isDate else { return PredicateValue(number) }
            let seconds = NSDecimalNumber(decimal: number).doubleValue
            return PredicateValue(Date(timeIntervalSinceReferenceDate: seconds))
        }
        let length = ExpressionTree.keyPath(["length"])
        if let minimum { add(.selfObject, .greaterThanOrEqualTo, value(minimum), isDate ? 1640 : 1620) }
        if let maximum { add(.selfObject, .lessThanOrEqualTo, value(maximum), isDate ? 1630 : 1610) }
        if let minimumLength { add(length, .greaterThanOrEqualTo, .int(Int64(minimumLength)), 1670) }
        if let maximumLength { add(length, .lessThanOrEqualTo, .int(Int64(maximumLength)), 1660) }
        if let pattern { add(.selfObject, .matches, .string(pattern), 1680) }
        return rules
    }
}
