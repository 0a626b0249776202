import CoreData

/// Names that Foundation on Linux has as well, in files that import one framework.
struct SearchTerm {
    let left: NSExpression
    let comparison: NSComparisonPredicate

    init(key: String, value: String) {
        left = NSExpression(forKeyPath: key)
        comparison = NSComparisonPredicate(
            leftExpression: left, rightExpression: NSExpression(forConstantValue: value), modifier: .direct,
            type: .contains, options: [.caseInsensitive])
    }
}
