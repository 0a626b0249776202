import Foundation
import Predicates
import RecordModel
import RecordStorage
import RecordWire

/// The field that a comparison of a predicate looks at.
struct Target {
    var column: Column
    var type: FieldType
    var field: FieldSchema?
}

/// One comparison of a field with a value, as a condition.
struct ComparisonBuilder {
    let comparison: PredicateComparison
    let target: Target

    /// Whether text is folded before it is compared: `n` says that it was.
    private var folds: PredicateOptions {
        comparison.options.contains(.normalized)
            ? [] : comparison.options.intersection([.caseInsensitive, .diacriticInsensitive])
    }

    func condition(_ value: PredicateValue) throws(ServiceError) -> Condition {
        if comparison.options.contains(.localeSensitive), comparison.operator.comparison != nil {
            throw unsupported("the server has no locale")
        }
        if target.type.isList { return try listCondition(value) }
        guard comparison.modifier == .direct else { throw unsupported("ANY and ALL need a list field") }
        switch comparison.operator {
        case .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            return try simple(value)
        case .between:
            guard let bounds = value.elements, bounds.count == 2 else {
                throw unsupported("BETWEEN needs two bounds")
            }
            guard folds.isEmpty else { throw unsupported("BETWEEN takes no options") }
            return .and([
                .compare(target.column, .greaterOrEqual, try stored(bounds[0])),
                .compare(target.column, .lessOrEqual, try stored(bounds[1])),
            ])
        case .in:
            if case .string(let text) = value { return try substring(of: text) }
            let values = try list(value)
            guard !folds.isEmpty, target.type == FieldType(.string) else {
                return .among(target.column, values)
            }
            return .or(
                values.map { value in
                    guard case .text(let text) = value else { return .compare(target.column, .equal, value) }
                    return .text(target.column, match(.equal, text))
                })
        case .contains, .beginsWith, .endsWith, .like: return try text(value)
        case .matches:
            // Regular expressions of strangers can take for ever (see Predicates' cache of them).
            throw unsupported("regular expressions are not run on the server; LIKE is")
        case .utiConformsTo, .utiEquals: throw unsupported("type identifiers are not known to the server")
        }
    }

    private func simple(_ value: PredicateValue) throws(ServiceError) -> Condition {
        guard let simple = comparison.operator.comparison else {
            throw unsupported("the operator is not known")
        }
        if case .string(let text) = value, !folds.isEmpty, target.type == FieldType(.string) {
            let match = match(simple.textKind, text)
            // A missing text differs from every text, but is neither less nor greater.
            return simple == .notEqual
                ? .not(.text(target.column, self.match(.equal, text))) : .text(target.column, match)
        }
        if target.type == FieldType(.location), value != .null {
            throw unsupported("use distanceToLocation:fromLocation:")
        }
        if target.type.scalar == .reference, simple != .equal, simple != .notEqual {
            throw unsupported("references have no order")
        }
        let column =
            target.field.map { $0.type == FieldType(.location) ? .latitude($0) : target.column }
            ?? target.column
        return .compare(column, simple, try stored(value))
    }

    private func checkPattern(_ text: String) throws(ServiceError) {
        let length = text.utf8.count
        guard length <= Limits.patternBytes else {
            throw unsupported("the text looked for has \(length) bytes; \(Limits.patternBytes) are allowed")
        }
    }

    private func text(_ value: PredicateValue) throws(ServiceError) -> Condition {
        guard case .string(let text) = value, target.type == FieldType(.string) else {
            throw unsupported("the operator works on text")
        }
        switch comparison.operator {
        case .beginsWith where folds.isEmpty: return .prefix(target.column, text)
        case .beginsWith: return .text(target.column, match(.beginsWith, text))
        case .endsWith: return .text(target.column, match(.endsWith, text))
        case .like:
            try checkPattern(text)
            return .text(target.column, match(.like, text))
        default:
            try checkPattern(text)
            return .text(target.column, match(.contains, text))
        }
    }

    /// `field IN 'text'`: the field's text is a part of the given one.
    private func substring(of text: String) throws(ServiceError) -> Condition {
        throw unsupported("IN needs a list of values; write it as {'\(text.prefix(20))'}")
    }

    private func listCondition(_ value: PredicateValue) throws(ServiceError) -> Condition {
        switch (comparison.modifier, comparison.operator) {
        case (.direct, .contains): return .anyElement(target.column, try test(.equalTo, value))
        case (.direct, .equalTo) where value == .null: return .compare(target.column, .equal, .null)
        case (.direct, .notEqualTo) where value == .null: return .compare(target.column, .notEqual, .null)
        case (.direct, _): throw unsupported("a list needs ANY, ALL or CONTAINS")
        case (.any, _): return .anyElement(target.column, try test(comparison.operator, value))
        case (.all, _):
            // Every element fulfils it when none fails it.
            guard let opposite = comparison.operator.opposite else {
                throw unsupported("ALL works with =, !=, <, <=, > and >=")
            }
            return .not(.anyElement(target.column, try test(opposite, value)))
        }
    }

    private func test(_ operation: PredicateOperator, _ value: PredicateValue) throws(ServiceError)
        -> ElementTest
    {
        switch operation {
        case .in:
            guard folds.isEmpty else { throw unsupported("IN takes no options on the elements of a list") }
            return .among(try list(value))
        case .beginsWith, .endsWith, .like, .contains:
            guard case .string(let text) = value, target.type.scalar == .string else {
                throw unsupported("the operator works on text")
            }
            try checkPattern(text)
            let kinds: [PredicateOperator: TextMatch.Kind] = [
                .beginsWith: .beginsWith, .endsWith: .endsWith, .like: .like,
            ]
            return .text(match(kinds[operation] ?? .contains, text))
        default:
            guard let simple = operation.comparison else {
                throw unsupported("the operator does not work on elements")
            }
            if case .string(let text) = value, !folds.isEmpty, target.type.scalar == .string {
                return .text(match(simple.textKind, text))
            }
            return .compare(simple, try stored(value))
        }
    }

    private func match(_ kind: TextMatch.Kind, _ text: String) -> TextMatch {
        TextMatch(
            kind, text, ignoresCase: folds.contains(.caseInsensitive),
            ignoresDiacritics: folds.contains(.diacriticInsensitive))
    }

    private func list(_ value: PredicateValue) throws(ServiceError) -> [StorageValue] {
        guard let elements = value.elements else { throw unsupported("IN needs a list of values") }
        guard elements.count <= Limits.valuesPerFilter else {
            throw .tooMany(
                "values in one IN", elements.count, exceeding: "valuesPerFilter", Limits.valuesPerFilter)
        }
        var values: [StorageValue] = []
        for element in elements { values.append(try stored(element)) }
        return values
    }

    /// A value in the form of the field's column.
    private func stored(_ value: PredicateValue) throws(ServiceError) -> StorageValue {
        switch (target.type.scalar, value) {
        case (_, .null): return .null
        case (.string, .string(let text)), (.reference, .string(let text)): return .text(text)
        case (.string, .uuid(let uuid)): return .text(uuid.uuidString)
        case (.string, .url(let url)): return .text(url.absoluteString)
        case (.int64, .bool(let flag)): return .int(flag ? 1 : 0)
        case (.int64, .int(let int)), (.timestamp, .int(let int)): return .int(int)
        case (.double, .int(let int)): return .double(Double(int))
        case (.int64, _), (.double, _):
            guard let number = value.number, number.isFinite else { throw mismatch(value) }
            return .double(number)
        case (.timestamp, .date(let date)):
            guard let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) else {
                throw mismatch(value)
            }
            return .int(milliseconds)
        default: throw mismatch(value)
        }
    }

    private func mismatch(_ value: PredicateValue) -> ServiceError {
        unsupported("the value is not of type \(target.type.scalar.tag)")
    }

    private func unsupported(_ why: String) -> ServiceError {
        ServiceError(.badRequest, "'\(PredicateTree.comparison(comparison))' cannot be answered: \(why).")
    }
}

extension Comparison {
    /// The comparison of texts of the same kind.
    fileprivate var textKind: TextMatch.Kind {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        }
    }
}

extension PredicateOperator {
    /// The operator that holds just where this one does not.
    fileprivate var opposite: PredicateOperator? {
        switch self {
        case .equalTo: .notEqualTo
        case .notEqualTo: .equalTo
        case .lessThan: .greaterThanOrEqualTo
        case .lessThanOrEqualTo: .greaterThan
        case .greaterThan: .lessThanOrEqualTo
        case .greaterThanOrEqualTo: .lessThan
        default: nil
        }
    }
}
