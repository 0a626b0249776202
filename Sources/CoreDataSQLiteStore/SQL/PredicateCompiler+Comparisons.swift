internal import SQLiteAccess
internal import StratusCoreData

// Comparisons: equality, order and ranges.

extension PredicateCompiler {
    /// Whether an operator holds between two operands.
    func compare(
        _ left: Operand, _ comparison: PredicateOperator, _ right: Operand, _ options: PredicateOptions
    ) throws -> SQLPiece {
        if case .constant(let first) = left, case .constant(let second) = right {
            let tree = PredicateTree.compare(
                .constant(first), comparison, .constant(second), options: options)
            do { return try tree.evaluate(on: nil) ? .yes : .no } catch {
                throw CoreDataError.evaluation(error)
            }
        }
        switch comparison {
        case .equalTo: return try equal(left, right, options)
        case .notEqualTo: return try equal(left, right, options, negated: true)
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            return try order(left, comparison, right, options)
        case .between: return try between(left, right, options)
        case .in: return try member(left, of: right, "IN", options)
        case .contains: return try member(right, of: left, "CONTAINS", options)
        case .beginsWith, .endsWith, .like, .matches, .utiConformsTo, .utiEquals:
            return try text(left, comparison, right, options)
        }
    }

    // MARK: Equality

    func equal(
        _ left: Operand, _ right: Operand, _ options: PredicateOptions, negated: Bool = false
    ) throws -> SQLPiece {
        switch (left, right) {
        case (.collection(let collection), _), (_, .collection(let collection)):
            throw CoreDataError.toManyKeyNotAllowed(collection.path)
        case (.list(let first), .list(let second)):
            guard first.count == second.count else { return negated ? .yes : .no }
            let all = SQLPiece.and(try zip(first, second).map { try equal($0, $1, options) })
            return negated ? all.negated : all
        case (.list(let elements), .constant(.list(let values))),
            (.constant(.list(let values)), .list(let elements)):
            return try equal(.list(elements), .list(values.map { .constant($0) }), options, negated: negated)
        case (.list, _), (_, .list): return negated ? .yes : .no
        case (.constant(let value), let other), (let other, .constant(let value)):
            return try equal(other, to: value, options, negated: negated)
        default:
            return try equal(try scalar(left, "=="), try scalar(right, "=="), options, negated: negated)
        }
    }

    private func equal(
        _ operand: Operand, to value: PredicateValue, _ options: PredicateOptions, negated: Bool
    ) throws -> SQLPiece {
        let left = try scalar(operand, "==")
        if value == .null {
            if case .object(let row) = operand, !row.isOptional { return negated ? .yes : .no }
            return negated ? present(left) : "\(left.text) IS NULL"
        }
        if case .opaque = left.kind {
            throw CoreDataError.notInSQL("A comparison of '\(left.path)', whose bytes are not its value,")
        }
        switch encoded(value, for: left.kind) {
        case .never: return negated ? .yes : .no
        case .value(let binding):
            let text = left.kind == .string ? folded(left.text, options) : left.text
            let bound = left.kind == .string ? folded(binding, options) : binding
            return negated ? "\(text) IS NOT \(bind: bound)" : "\(text) = \(bind: bound)"
        case .near(let number, let order):
            // The column's nearest number stands for another decimal number than this one.
            guard order == .equal else { return negated ? .yes : .no }
            return "\(left.text) \(negated ? "IS NOT" : "=") \(bind: .double(number))"
        case .inSwift:
            let test = test(left, .equalTo, try scalar(.constant(value), "=="), options)
            return negated ? test.negated : test
        }
    }

    /// Whether there is a value. SQLite uses an index for a range, but not for IS NOT NULL; so it is said as a
    /// range that all values are in, where an index could be.
    func present(_ value: Scalar) -> SQLPiece {
        guard value.isColumn else { return "\(value.text) IS NOT NULL" }
        switch value.kind {
        case .bool, .int, .real, .decimal, .date: return "\(value.text) >= -9e999"
        case .string, .url: return "\(value.text) >= ''"
        default: return "\(value.text) IS NOT NULL"
        }
    }

    private func equal(
        _ left: Scalar, _ right: Scalar, _ options: PredicateOptions, negated: Bool
    ) throws -> SQLPiece {
        let sign = negated ? "IS NOT" : "IS"
        switch pairing(left.kind, right.kind) {
        case .native where left.kind == .string:
            return "\(folded(left.text, options)) \(sign) \(folded(right.text, options))"
        case .native: return "\(left.text) \(sign) \(right.text)"
        case .asReal:
            return "CAST(\(left.text) AS REAL) \(sign) CAST(\(right.text) AS REAL)"
        case .inSwift:
            let test = test(left, .equalTo, right, options)
            return negated ? test.negated : test
        case .never:
            if left.kind == .opaque || right.kind == .opaque {
                throw CoreDataError.notInSQL("A comparison of a transformable value")
            }
            // Two missing values are equal, whatever they are of.
            let both: SQLPiece = "\(left.text) IS NULL AND \(right.text) IS NULL"
            return negated ? "NOT (\(both))" : both
        }
    }

    // MARK: Order

    private func order(
        _ left: Operand, _ comparison: PredicateOperator, _ right: Operand, _ options: PredicateOptions
    ) throws -> SQLPiece {
        switch (left, right) {
        case (.constant(.null), _), (_, .constant(.null)): return .no
        case (.constant(let value), _):
            return try order(
                try scalar(right, comparison.symbol), comparison.reversed, value, options)
        case (_, .constant(let value)):
            return try order(try scalar(left, comparison.symbol), comparison, value, options)
        default: break
        }
        let first = try scalar(left, comparison.symbol)
        let second = try scalar(right, comparison.symbol)
        if first.kind == .nothing || second.kind == .nothing { return .no }
        guard first.kind.hasOrder, second.kind.hasOrder else {
            throw CoreDataError.incomparable(first.kind, comparison.symbol, second.kind)
        }
        switch pairing(first.kind, second.kind) {
        case .never: throw CoreDataError.incomparable(first.kind, comparison.symbol, second.kind)
        case .inSwift: return test(first, comparison, second, options)
        case .asReal:
            return "CAST(\(first.text) AS REAL) \(comparison.symbol) CAST(\(second.text) AS REAL)"
        case .native where first.kind == .string:
            if options.contains(.localeSensitive) { return test(first, comparison, second, options) }
            return "\(folded(first.text, options)) \(comparison.symbol) \(folded(second.text, options))"
        case .native: return "\(first.text) \(comparison.symbol) \(second.text)"
        }
    }

    private func order(
        _ left: Scalar, _ comparison: PredicateOperator, _ value: PredicateValue, _ options: PredicateOptions
    ) throws -> SQLPiece {
        if left.kind == .nothing { return .no }
        let kind = SQLKind(value) ?? .opaque
        guard left.kind.hasOrder, kind.hasOrder else {
            throw CoreDataError.incomparable(left.kind, comparison.symbol, kind)
        }
        let isLocal = left.kind == .string && options.contains(.localeSensitive)
        switch encoded(value, for: left.kind) {
        case .never:
            // Not a number is a number that is in no order.
            if left.kind.isNumber, kind.isNumber { return .no }
            throw CoreDataError.incomparable(left.kind, comparison.symbol, kind)
        case .value(let binding) where !isLocal:
            let text = left.kind == .string ? folded(left.text, options) : left.text
            let bound = left.kind == .string ? folded(binding, options) : binding
            return "\(text) \(comparison.symbol) \(bind: bound)"
        case .near(let number, let order):
            return "\(left.text) \(comparison.symbol(beside: order)) \(bind: .double(number))"
        case .value, .inSwift:
            return test(left, comparison, try scalar(.constant(value), comparison.symbol), options)
        }
    }

    private func between(_ value: Operand, _ range: Operand, _ options: PredicateOptions) throws -> SQLPiece {
        let bounds: [Operand]
        switch range {
        case .constant(.null): return .no
        case .constant(.list(let values)): bounds = values.map { .constant($0) }
        case .list(let operands): bounds = operands
        default: bounds = []
        }
        guard bounds.count == 2 else {
            throw CoreDataError.badArgument("BETWEEN", "anything but a list of two bounds")
        }
        return .and([
            try compare(value, .greaterThanOrEqualTo, bounds[0], options),
            try compare(value, .lessThanOrEqualTo, bounds[1], options),
        ])
    }

    // MARK: In Swift

    /// An operator that our function evaluates as memory does.
    func test(
        _ left: Scalar, _ comparison: PredicateOperator, _ right: Scalar, _ options: PredicateOptions
    ) -> SQLPiece {
        let letters = String([left.kind.letter, right.kind.letter])
        return
            "stratus_test(\(String(comparison.code)), \(String(options.rawValue)), '\(letters)', \(left.text), \(right.text))"
    }
}

extension PredicateOperator {
    /// The operator with its sides exchanged.
    var reversed: PredicateOperator {
        switch self {
        case .lessThan: .greaterThan
        case .lessThanOrEqualTo: .greaterThanOrEqualTo
        case .greaterThan: .lessThan
        case .greaterThanOrEqualTo: .lessThanOrEqualTo
        default: self
        }
    }

    /// The operator to use with the number beside a bound, which is before or after it.
    fileprivate func symbol(beside order: ComparisonOrder) -> String {
        switch (self, order) {
        case (_, .equal): symbol
        // The number beside is smaller than the bound, so it is on the smaller side itself.
        case (.lessThan, .ascending), (.lessThanOrEqualTo, .ascending): "<="
        case (_, .ascending): ">"
        case (.lessThan, .descending), (.lessThanOrEqualTo, .descending): "<"
        case (_, .descending): ">="
        }
    }
}

extension SQLKind {
    /// Whether `<` means something for it.
    fileprivate var hasOrder: Bool {
        switch self {
        case .object, .entity, .opaque: false
        default: true
        }
    }
}
