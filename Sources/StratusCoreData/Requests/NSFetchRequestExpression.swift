/// The kind of expression that fetches.
public let NSFetchRequestExpressionType = Predicates.NSExpression.ExpressionType.fetchRequest

/// An expression whose value is what a request finds in a context: `FETCH(request, context, countOnly)`.
///
/// Unchecked sendable because the class is open, as Apple's is; like its superclass, it never changes.
open class NSFetchRequestExpression: Predicates.NSExpression, @unchecked Sendable {
    /// Makes an expression.
    ///
    /// - Parameters:
    ///   - fetch: its value is an ``NSFetchRequest``.
    ///   - context: its value is an ``NSManagedObjectContext``.
    ///   - countFlag: whether the value is the number of the objects instead of the objects.
    open class func expression(
        forFetch fetch: Predicates.NSExpression, context: Predicates.NSExpression, countOnly countFlag: Bool
    ) -> Predicates.NSExpression {
        NSFetchRequestExpression(
            tree: .fetch(
                request: fetch.tree, context: context.tree, countOnly: .constant(PredicateValue(countFlag))))
    }

    /// The expression of the request.
    open var requestExpression: Predicates.NSExpression {
        if case .fetch(let request, _, _) = tree { .init(tree: request) } else { self }
    }

    /// The expression of the context.
    open var contextExpression: Predicates.NSExpression {
        if case .fetch(_, let context, _) = tree { .init(tree: context) } else { self }
    }

    /// Whether the value is the number of the objects.
    open var isCountOnlyRequest: Bool {
        guard case .fetch(_, _, .constant(let flag)) = tree else { return false }
        return (flag.anyValue as? NSNumber)?.boolValue ?? (flag.anyValue as? Bool) ?? false
    }

    /// What the request finds, or its number; nil where the parts are no request and no context, or the fetch fails.
    open override func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        let parts = [requestExpression, contextExpression].map { expression -> Any? in
            let value = expression.expressionValue(with: object, context: context)
            return (value as? PredicateObject)?.base ?? value
        }
        guard let request = parts[0] as? AnyFetchRequest, let context = parts[1] as? NSManagedObjectContext
        else { return nil }
        // Nothing here can throw, on Apple's platforms either: a predicate that fetches in vain does not hold.
        if isCountOnlyRequest { return try? NSNumber(value: context.count(for: request)) }
        // As for the count above.
        return try? context.results(of: request)
    }
}
