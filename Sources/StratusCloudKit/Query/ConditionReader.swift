internal import Foundation
internal import Predicates
internal import RecordModel
internal import RecordWire

/// Reads a predicate's tree as a condition on one record's fields, or says why it is not one.
struct ConditionReader: Sendable {
    /// The time that `now()` stands for.
    var now: Date

    /// Reads a tree.
    ///
    /// - Throws: `CKError.invalidArguments` for comparisons of two fields or none, paths into other records,
    ///   and functions that the service does not compute.
    func read(_ tree: PredicateTree) throws(CKError) -> QueryCondition {
        switch tree {
        case .constant(let value): return .constant(value)
        case .and(let parts): return .and(try read(parts))
        case .or(let parts): return .or(try read(parts))
        case .not(.not(let part)): return try read(part)
        case .not(let part): return .not(try read(part))
        case .comparison(let comparison): return try read(comparison)
        }
    }

    private func read(_ parts: [PredicateTree]) throws(CKError) -> [QueryCondition] {
        var conditions: [QueryCondition] = []
        for part in parts { conditions.append(try read(part)) }
        return conditions
    }

    private func read(_ comparison: PredicateComparison) throws(CKError) -> QueryCondition {
        if let search = try tokenSearch(comparison) { return .comparison(search) }
        let left = operand(comparison.left)
        let right = operand(comparison.right)
        switch (left, right) {
        case (.value(let value), .expression(let expression)):
            return try condition(comparison, expression, try mirrored(comparison), value)
        case (.expression(let expression), .value(let value)):
            return try condition(comparison, expression, comparison.operator, value)
        case (.expression, .expression):
            throw refusal(comparison, "compares two fields, and a query compares a field with a value")
        case (.value, .value):
            throw refusal(comparison, "compares two values, and a query compares a field with a value")
        }
    }

    private func condition(
        _ comparison: PredicateComparison, _ expression: ExpressionTree, _ operator: PredicateOperator,
        _ value: PredicateValue
    ) throws(CKError) -> QueryCondition {
        let subject = try subject(of: expression, in: comparison)
        var fieldValue = try FieldValue.from(value)
        // A part of a name is a text, and no reference.
        if case .field(let selector) = subject, selector.namesRecord, `operator` != .beginsWith {
            fieldValue = fieldValue?.asReferences
        }
        if `operator` == .in, case .list(let values, _)? = fieldValue, values.isEmpty {
            return .constant(comparison.modifier == .all)
        }
        return .comparison(
            QueryCondition.Comparison(
                modifier: comparison.modifier, subject: subject, operator: `operator`, value: fieldValue,
                options: comparison.options))
    }

    /// The operator of a comparison whose sides are exchanged.
    private func mirrored(_ comparison: PredicateComparison) throws(CKError) -> PredicateOperator {
        // `ANY {a, b} IN list` and `ANY list IN {a, b}` mean the same.
        if comparison.modifier == .any, comparison.operator == .in { return .in }
        guard comparison.modifier == .direct, let mirrored = comparison.operator.mirrored else {
            throw refusal(comparison)
        }
        return mirrored
    }

    private enum Operand {
        case value(PredicateValue)
        case expression(ExpressionTree)
    }

    private func operand(_ expression: ExpressionTree) -> Operand {
        switch expression {
        case .constant(let value): .value(value)
        case .function("now", _): .value(.date(now))
        case .aggregate(let elements):
            aggregate(elements).map { .value(.list($0)) } ?? .expression(expression)
        default: .expression(expression)
        }
    }

    /// The values of a list with functions in it, `{now(), …}`.
    private func aggregate(_ elements: [ExpressionTree]) -> [PredicateValue]? {
        var values: [PredicateValue] = []
        for element in elements {
            guard case .value(let value) = operand(element) else { return nil }
            values.append(value)
        }
        return values
    }

    private func subject(
        of expression: ExpressionTree, in comparison: PredicateComparison
    ) throws(CKError) -> QueryCondition.Subject {
        switch expression {
        case .keyPath(let path): return .field(try FieldSelector(key: path.joined(separator: ".")))
        case .function("distanceToLocation:fromLocation:", let arguments) where arguments.count == 2:
            return try distance(arguments[0], arguments[1], in: comparison)
        default: throw refusal(comparison)
        }
    }

    private func distance(
        _ first: ExpressionTree, _ second: ExpressionTree, in comparison: PredicateComparison
    ) throws(CKError) -> QueryCondition.Subject {
        let path: [String]
        let place: PredicateValue
        switch (first, second) {
        case (.keyPath(let key), .constant(let value)), (.constant(let value), .keyPath(let key)):
            (path, place) = (key, value)
        default: throw refusal(comparison)
        }
        let selector = try FieldSelector(key: path.joined(separator: "."))
        switch try FieldValue.from(place) {
        case .location(let location)?: return .distance(selector, location)
        case .list(let degrees, _)? where degrees.count == 2:
            guard let latitude = degrees[0].number, let longitude = degrees[1].number else { fallthrough }
            return .distance(selector, Location(latitude: latitude, longitude: longitude))
        default: throw refusal(comparison, "measures the distance from something that is not a location")
        }
    }

    /// Reads `self CONTAINS 'words'` and `ALL tokenize('words', 'Cdl') IN allTokens`.
    private func tokenSearch(
        _ comparison: PredicateComparison
    ) throws(CKError) -> QueryCondition.Comparison? {
        let text: String
        switch (comparison.left, comparison.operator, comparison.right) {
        case (.selfObject, .contains, .constant(.string(let words))),
            (.constant(.string(let words)), .in, .selfObject):
            text = words
        case (.function("tokenize:using:", let arguments), .in, .keyPath(["allTokens"])):
            guard case .constant(.string(let words))? = arguments.first else { throw refusal(comparison) }
            text = words
        default: return nil
        }
        return QueryCondition.Comparison(
            modifier: comparison.left == .selfObject ? .direct : comparison.modifier, subject: .allText,
            operator: .contains, value: .string(text), options: [])
    }

    private func refusal(
        _ comparison: PredicateComparison, _ why: String = "asks for something that queries cannot compute"
    ) -> CKError {
        CKError(
            .invalidArguments, "'\(PredicateTree.comparison(comparison))' \(why).",
            remedy: "Fetch more records and filter them in the app, or keep the value in a field.")
    }
}

extension PredicateOperator {
    /// The operator with its sides exchanged; nil where there is none.
    fileprivate var mirrored: PredicateOperator? {
        switch self {
        case .lessThan: .greaterThan
        case .lessThanOrEqualTo: .greaterThanOrEqualTo
        case .greaterThan: .lessThan
        case .greaterThanOrEqualTo: .lessThanOrEqualTo
        case .equalTo, .notEqualTo: self
        case .in: .contains
        case .contains: .in
        default: nil
        }
    }
}

extension FieldValue {
    fileprivate var number: Double? {
        switch self {
        case .int64(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The value with record names as references, as fields that name records want them.
    fileprivate var asReferences: FieldValue {
        switch self {
        case .string(let name): .reference(Reference(recordName: name))
        case .list(let values, of: .string): .list(values.map(\.asReferences), of: .reference)
        default: self
        }
    }
}
