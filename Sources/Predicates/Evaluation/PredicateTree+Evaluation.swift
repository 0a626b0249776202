public import Foundation

extension PredicateTree {
    /// Whether the predicate holds for an object.
    ///
    /// The object may be anything: a ``KeyValueReadable``, a dictionary, or a plain value for `SELF > 3`.
    /// Missing values are nil: `x != 5` holds for nil and `x < 5` does not (Documentation/CoreDataStore.md,
    /// 'Missing values'). Parts that do not decide the answer are not evaluated.
    ///
    /// - Throws: ``PredicateEvaluationError`` for an unknown key of a type with fixed keys, for values that cannot be
    ///   compared, for a malformed `MATCHES` pattern and for a variable without a value.
    public func evaluate(
        on object: Any?, variables: [String: Any?] = [:], now: Date = Date()
    ) throws(PredicateEvaluationError) -> Bool {
        var evaluator = PredicateEvaluator(object: object, variables: variables, now: now)
        return try evaluator.evaluate(self)
    }
}

extension ExpressionTree {
    /// The value of the expression for an object.
    ///
    /// - Throws: ``PredicateEvaluationError`` for the same reasons as a predicate.
    public func value(
        on object: Any?, variables: [String: Any?] = [:], now: Date = Date()
    ) throws(PredicateEvaluationError) -> PredicateValue {
        PredicateValue(try anyValue(on: object, variables: variables, now: now))
    }

    /// What the expression gives for an object, before it becomes a ``PredicateValue``: a managed object
    /// at the end of a path stays that object.
    ///
    /// - Throws: ``PredicateEvaluationError`` for the same reasons as a predicate.
    public func anyValue(
        on object: Any?, variables: [String: Any?] = [:], now: Date = Date()
    ) throws(PredicateEvaluationError) -> Any? {
        var evaluator = PredicateEvaluator(object: object, variables: variables, now: now)
        return try evaluator.any(self)
    }
}
