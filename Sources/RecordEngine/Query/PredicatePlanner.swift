import Foundation
import Predicates
import RecordModel
import RecordStorage
import RecordWire

/// FairQueue a predicate in the format language into a condition: our extension of the protocol, for what its
/// filters cannot say (OR, NOT, ENDSWITH, CONTAINS, LIKE …).
struct PredicatePlanner {
    let fields: FieldResolver

    /// - Throws: `BAD_REQUEST` with the parser's message and caret, or with what cannot be answered and why.
    func condition(_ text: String) throws(ServiceError) -> Condition {
        guard text.utf8.count <= Limits.predicateBytes else {
            throw ServiceError(
                .badRequest,
                "The predicate has \(text.utf8.count) bytes; \(Limits.predicateBytes) are allowed.")
        }
        let tree: PredicateTree
        do {
            tree = try PredicateTree(parsing: text)
        } catch {
            throw ServiceError(.badRequest, "The predicate cannot be read.\n\(error)")
        }
        let size = Self.size(of: tree)
        guard size.comparisons <= Limits.predicateComparisons, size.depth <= Limits.predicateDepth else {
            throw ServiceError(
                .badRequest,
                "The predicate has \(size.comparisons) comparisons, nested \(size.depth) deep; \(Limits.predicateComparisons) and \(Limits.predicateDepth) are allowed.",
                remedy: "Write a choice of values as IN, or ask several queries.")
        }
        return try condition(tree)
    }

    /// How many comparisons a predicate has, and how deep they nest.
    private static func size(of tree: PredicateTree) -> (comparisons: Int, depth: Int) {
        switch tree {
        case .constant, .comparison: return (1, 0)
        case .not(let part):
            let size = size(of: part)
            return (size.comparisons, size.depth + 1)
        case .and(let parts), .or(let parts):
            let sizes = parts.map(size)
            return (sizes.reduce(0) { $0 + $1.comparisons }, 1 + (sizes.map(\.depth).max() ?? 0))
        }
    }

    func condition(_ tree: PredicateTree) throws(ServiceError) -> Condition {
        switch tree {
        case .constant(let value): return .constant(value)
        case .and(let parts): return .and(try conditions(parts))
        case .or(let parts): return .or(try conditions(parts))
        case .not(let part): return .not(try condition(part))
        case .comparison(let comparison): return try condition(comparison)
        }
    }

    private func conditions(_ trees: [PredicateTree]) throws(ServiceError) -> [Condition] {
        var conditions: [Condition] = []
        for tree in trees { conditions.append(try condition(tree)) }
        return conditions
    }

    private func condition(_ comparison: PredicateComparison) throws(ServiceError) -> Condition {
        if let special = try distance(comparison) { return special }
        if let special = try words(comparison) { return special }
        if let special = try share(comparison) { return special }
        if let count = try elementCount(comparison) { return count }
        if comparison.operator == .in, let list = try reversedMembership(comparison) { return list }
        let use = comparison.operator.use
        if let left = try target(comparison.left, for: use) {
            if let right = try target(comparison.right, for: use) {
                return try columns(comparison, left, right)
            }
            return try condition(comparison, left, constant(comparison.right))
        }
        if let right = try target(comparison.right, for: use), let turned = comparison.operator.turned {
            var turnedComparison = comparison
            turnedComparison.operator = turned
            return try condition(turnedComparison, right, constant(comparison.left))
        }
        throw unsupported(comparison, "one side must be a field and the other a value")
    }

    /// A field or system field that an expression names.
    private func target(
        _ expression: ExpressionTree, for use: FieldUse = .filter
    ) throws(ServiceError) -> Target? {
        guard case .keyPath(let path) = expression else { return nil }
        // A dot leads into another record, except in the names of the fields of shares.
        let name = path.joined(separator: ".")
        guard path.count == 1 || fields.type[name] != nil else {
            throw ServiceError(
                .badRequest,
                "The predicate looks through '\(name)' into another record.",
                remedy: "Query that record type by itself, or keep a copy of the value in this one.")
        }
        if let system = SystemField(nativeName: name), fields.type[name] == nil {
            try fields.check(system, for: use)
            guard let (column, type) = fields.system(system) else {
                throw ServiceError(.badRequest, "The share of a record can be compared by = and != only.")
            }
            return Target(column: column, type: type, field: nil)
        }
        let field = try fields.queryable(name, for: use)
        return Target(column: .field(field), type: field.type, field: field)
    }

    private func constant(_ expression: ExpressionTree) throws(ServiceError) -> PredicateValue {
        guard case .constant(let value) = expression else {
            throw ServiceError(
                .badRequest, "The predicate compares with '\(expression)', which is not a plain value.",
                remedy: "Compute the value first and write it into the predicate.")
        }
        guard ([value] + (value.elements ?? [])).allSatisfy({ !$0.holdsNull }) else {
            throw ServiceError(.badRequest, "Text cannot contain the character U+0000.")
        }
        return value
    }

    private func condition(
        _ comparison: PredicateComparison, _ target: Target, _ value: PredicateValue
    ) throws(ServiceError) -> Condition {
        let builder = ComparisonBuilder(comparison: comparison, target: target)
        return try builder.condition(value)
    }

    private func columns(
        _ comparison: PredicateComparison, _ left: Target, _ right: Target
    ) throws(ServiceError) -> Condition {
        guard let simple = comparison.operator.comparison, comparison.options.isEmpty,
            comparison.modifier == .direct,
            left.type.isOrdered, right.type.isOrdered,
            left.type == right.type || (left.type.isNumber && right.type.isNumber)
        else {
            throw unsupported(
                comparison, "two fields of one type can be compared by =, !=, <, <=, > and >= only")
        }
        return .compareColumns(left.column, simple, right.column)
    }

    /// `share == …`: no record has a share yet, and a missing value equals nothing but null.
    private func share(_ comparison: PredicateComparison) throws(ServiceError) -> Condition? {
        guard case .keyPath(let path) = comparison.left, path.count == 1, fields.type[path[0]] == nil,
            SystemField(nativeName: path[0]) == .share, case .constant(let value) = comparison.right
        else { return nil }
        switch comparison.operator {
        case .equalTo: return .constant(value == .null)
        case .notEqualTo: return .constant(value != .null)
        default: throw unsupported(comparison, "references have no order")
        }
    }

    /// `value IN list`, where the list is the field.
    private func reversedMembership(_ comparison: PredicateComparison) throws(ServiceError) -> Condition? {
        guard case .constant(let value) = comparison.left, let list = try target(comparison.right) else {
            return nil
        }
        var turned = comparison
        turned.operator = .contains
        return try condition(turned, list, value)
    }

    /// `list.@count > 2`
    private func elementCount(_ comparison: PredicateComparison) throws(ServiceError) -> Condition? {
        guard case .keyPath(let path) = comparison.left, path.count == 2, path[1] == "@count",
            case .constant(.int(let count)) = comparison.right, let simple = comparison.operator.comparison
        else { return nil }
        let field = try fields.queryable(path[0])
        guard field.type.isList else { throw unsupported(comparison, "'\(path[0])' is not a list") }
        return .elementCount(.field(field), simple, count)
    }

    /// `distanceToLocation:fromLocation:(key, {latitude, longitude}) < metres`
    private func distance(_ comparison: PredicateComparison) throws(ServiceError) -> Condition? {
        guard case .function("distanceToLocation:fromLocation:", let arguments) = comparison.left else {
            return nil
        }
        guard arguments.count == 2, case .keyPath(let path) = arguments[0], path.count == 1,
            case .constant(.list(let degrees)) = arguments[1], degrees.count == 2,
            let latitude = degrees[0].number, let longitude = degrees[1].number,
            case .constant(let limit) = comparison.right, let metres = limit.number,
            comparison.operator == .lessThan || comparison.operator == .lessThanOrEqualTo
        else {
            throw unsupported(
                comparison, "write distanceToLocation:fromLocation:(field, {latitude, longitude}) < metres")
        }
        let place = Location(latitude: latitude, longitude: longitude)
        let field = try fields.queryable(path[0])
        guard field.type == FieldType(.location), place.isValid else {
            throw unsupported(comparison, "'\(path[0])' is not a location, or the degrees are out of range")
        }
        // No number lies between a radius and the next smaller one.
        return .near(field, place, metres: comparison.operator == .lessThan ? metres.nextDown : metres)
    }

    /// `self CONTAINS 'words'`
    private func words(_ comparison: PredicateComparison) throws(ServiceError) -> Condition? {
        guard comparison.left == .selfObject, comparison.operator == .contains,
            case .constant(.string(let text)) = comparison.right
        else { return nil }
        let words = TextTokens.words(of: text).sorted()
        let columns = fields.searchableColumns
        return words.isEmpty || columns.isEmpty ? .constant(false) : .tokens(columns, words, all: false)
    }

    private func unsupported(_ comparison: PredicateComparison, _ why: String) -> ServiceError {
        ServiceError(.badRequest, "'\(PredicateTree.comparison(comparison))' cannot be answered: \(why).")
    }
}

extension SystemField {
    /// Finds a system field by its name on the wire or in the framework (Documentation/Protocol.md, 'System fields').
    init?(nativeName: String) {
        switch nativeName {
        case "recordID": self = .recordName
        case "creationDate": self = .createdTimestamp
        case "modificationDate": self = .modifiedTimestamp
        case "creatorUserRecordID", "createdBy": self = .createdUserRecordName
        case "lastModifiedUserRecordID", "modifiedBy": self = .modifiedUserRecordName
        default: self.init(spelling: nativeName)
        }
    }
}

extension PredicateOperator {
    /// The operator with its sides exchanged, where there is one.
    fileprivate var turned: PredicateOperator? {
        switch self {
        case .lessThan: .greaterThan
        case .lessThanOrEqualTo: .greaterThanOrEqualTo
        case .greaterThan: .lessThan
        case .greaterThanOrEqualTo: .lessThanOrEqualTo
        case .equalTo, .notEqualTo: self
        default: nil
        }
    }

    /// What the operator does with its field.
    var use: FieldUse {
        switch self {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .between, .beginsWith: .range
        default: .filter
        }
    }

    /// The comparison that the operator is, where it is one of values.
    var comparison: Comparison? {
        switch self {
        case .equalTo: .equal
        case .notEqualTo: .notEqual
        case .lessThan: .less
        case .lessThanOrEqualTo: .lessOrEqual
        case .greaterThan: .greater
        case .greaterThanOrEqualTo: .greaterOrEqual
        default: nil
        }
    }
}

extension FieldType {
    /// Whether values are plain numbers.
    fileprivate var isNumber: Bool { !isList && (scalar == .int64 || scalar == .double) }
}

extension PredicateValue {
    /// Whether the value is text that no field can hold.
    fileprivate var holdsNull: Bool {
        if case .string(let text) = self { text.utf8.contains(0) } else { false }
    }

    /// The value as a number, if it is one.
    var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        default: nil
        }
    }
}
