internal import Foundation
internal import Predicates

/// FairQueue archived predicates and expressions into trees, whose descriptions are format strings.
struct ArchivedPredicateReader {
    /// Printing, comparing and freeing a tree recurse, so trees deeper than parsed ones are refused.
    private static let maximumDepth = 40
    /// Objects that several others share count each time, or small archives could become huge trees.
    private static let maximumParts = 20_000
    private var parts = 0
    private var budget = 5_000_000

    mutating func predicate(_ item: ArchivedItem, depth: Int = 0) throws -> PredicateTree {
        try spend(depth)
        switch item.className {
        case "NSTruePredicate": return .constant(true)
        case "NSFalsePredicate": return .constant(false)
        case "NSCompoundPredicate": return try compound(item, depth)
        case "NSComparisonPredicate": return .comparison(try comparison(item, depth))
        case let name: throw Self.unknown(name)
        }
    }

    private mutating func compound(_ item: ArchivedItem, _ depth: Int) throws -> PredicateTree {
        var parts: [PredicateTree] = []
        for part in item["NSSubpredicates"]?.elements ?? [] {
            parts.append(try predicate(part, depth: depth + 1))
        }
        switch item["NSCompoundPredicateType"]?.int ?? 0 {
        case 1: return .and(parts)
        case 2: return .or(parts)
        case 0:
            guard let first = parts.first else { throw ModelDocumentError(.archive("NOT has no predicate")) }
            return .not(first)
        default: throw ModelDocumentError(.archive("a compound predicate is of no known kind"))
        }
    }

    private mutating func comparison(_ item: ArchivedItem, _ depth: Int) throws -> PredicateComparison {
        guard let left = item["NSLeftExpression"], let right = item["NSRightExpression"],
            let operation = item["NSPredicateOperator"],
            let kind = (operation["NSOperatorType"]?.int).flatMap({ PredicateOperator(archived: $0) })
        else { throw ModelDocumentError(.archive("a comparison lacks a side or its operator")) }
        let modifiers: [PredicateModifier] = [.direct, .all, .any]
        let modifier = operation["NSModifier"]?.int ?? 0
        guard modifiers.indices.contains(Int(modifier)) else {
            throw ModelDocumentError(.archive("a comparison has an unknown modifier"))
        }
        let options = operation["NSOptions"]?.int ?? operation["NSFlags"]?.int ?? 0
        return PredicateComparison(
            modifier: modifiers[Int(modifier)], left: try expression(left, depth: depth + 1), operator: kind,
            right: try expression(right, depth: depth + 1),
            options: PredicateOptions(rawValue: UInt(options & 0xF)))
    }

    mutating func expression(_ item: ArchivedItem, depth: Int = 0) throws -> ExpressionTree {
        try spend(depth)
        switch item.className {
        case "NSSelfExpression": return .selfObject
        case "NSAnyKeyExpression": return .anyKey
        case "NSConstantValueExpression":
            return .constant(try item["NSConstantValue"].map { try value($0, depth) } ?? .null)
        case "NSVariableExpression": return .variable(item["NSVariable"]?.string ?? "")
        case "NSVariableAssignmentExpression":
            guard let variable = item["NSAssignmentVariable"]?["NSVariable"]?.string,
                let value = item["NSSubexpression"] ?? item["NSSubExpression"]
            else { throw Self.unknown(item.className) }
            return .assignment(variable: variable, try expression(value, depth: depth + 1))
        case "NSKeyPathExpression": return try keyPath(item, depth)
        case "NSKeyPathSpecifierExpression": return try path(item["NSKeyPath"]?.string)
        case "NSFunctionExpression": return try function(item, depth)
        case "NSAggregateExpression":
            let elements = item["NSCollection"]?.elements ?? []
            return .list(try elements.map { try expression($0, depth: depth + 1) })
        case "NSSubqueryExpression": return try subquery(item, depth)
        case "NSTernaryExpression":
            guard let condition = item["NSPredicate"], let first = item["NSTrueExpression"],
                let second = item["NSFalseExpression"]
            else { throw Self.unknown(item.className) }
            return .conditional(
                try predicate(condition, depth: depth + 1), try expression(first, depth: depth + 1),
                try expression(second, depth: depth + 1))
        case "NSSetExpression": return try setOperation(item, depth)
        case "NSFetchRequestExpression": return try fetch(item, depth)
        case let name: throw Self.unknown(name)
        }
    }

    /// What mapping models fetch their source objects with.
    private mutating func fetch(_ item: ArchivedItem, _ depth: Int) throws -> ExpressionTree {
        guard let request = item["NSFRExpression"], let context = item["NSMOCExpression"] else {
            throw Self.unknown(item.className)
        }
        return .fetch(
            request: try expression(request, depth: depth + 1),
            context: try expression(context, depth: depth + 1),
            countOnly: .constant(.bool(item["NSCountOnlyFlag"]?.bool ?? false)))
    }

    private mutating func setOperation(_ item: ArchivedItem, _ depth: Int) throws -> ExpressionTree {
        let operations: [Int64: PredicateSetOperation] = [5: .union, 6: .intersect, 7: .minus]
        guard let operation = (item["NSExpressionType"]?.int).flatMap({ operations[$0] }),
            let left = item["NSLeftExpression"], let right = item["NSRightExpression"]
        else { throw Self.unknown(item.className) }
        return .setOperation(
            operation, try expression(left, depth: depth + 1), try expression(right, depth: depth + 1))
    }

    private mutating func keyPath(_ item: ArchivedItem, _ depth: Int) throws -> ExpressionTree {
        guard let argument = item["NSArguments"]?.elements?.first else {
            return try path(item["NSKeyPath"]?.string)
        }
        let keys = try expression(argument, depth: depth + 1)
        guard let operand = item["NSOperand"] else { return keys }
        let base = try expression(operand, depth: depth + 1)
        guard case .keyPath(let parts) = keys else { throw Self.unknown(item.className) }
        return .path(parts, of: base)
    }

    private func path(_ text: String?) throws -> ExpressionTree {
        guard let path = text.flatMap({ ExpressionTree.path($0) }) else {
            throw ModelDocumentError(.archive("'\(text ?? "")' is not a key path"))
        }
        return path
    }

    private mutating func function(_ item: ArchivedItem, _ depth: Int) throws -> ExpressionTree {
        guard let selector = item["NSSelectorName"]?.string, !selector.isEmpty else {
            throw ModelDocumentError(.archive("a function has no name"))
        }
        let arguments = try (item["NSArguments"]?.elements ?? []).map { try expression($0, depth: depth + 1) }
        if selector == PredicateFunction.cast, arguments.count == 2,
            case .constant(.string(let type)) = arguments[1]
        {
            return .cast(arguments[0], to: type)
        }
        // The functions that every predicate has are messages to this class.
        guard let operand = item["NSOperand"], operand["NSConstantValueClassName"]?.string == nil else {
            return .function(selector, arguments)
        }
        let receiver = try expression(operand, depth: depth + 1)
        // `$source.name` is a message too; its argument is the path, not what stands at the path.
        if selector == "valueForKeyPath:", arguments.count == 1, case .keyPath(let keys) = arguments[0] {
            return .path(keys, of: receiver)
        }
        return .message(receiver, selector: selector, arguments: arguments)
    }

    /// The fields of a subquery are distinguished by what they hold.
    private mutating func subquery(_ item: ArchivedItem, _ depth: Int) throws -> ExpressionTree {
        var collection: ArchivedItem?
        var condition: ArchivedItem?
        var variable: String?
        for field in item.keys.compactMap({ item[$0] }) {
            if field.className?.hasSuffix("Predicate") == true {
                condition = field
            } else if let name = field.string ?? field["NSVariable"]?.string {
                variable = name
            } else if field.className?.hasSuffix("Expression") == true {
                collection = field
            }
        }
        guard let collection, let condition, let variable else { throw Self.unknown(item.className) }
        return .subquery(
            try expression(collection, depth: depth + 1), variable: variable,
            predicate: try predicate(condition, depth: depth + 1))
    }

    private mutating func value(_ item: ArchivedItem, _ depth: Int) throws -> PredicateValue {
        try spend(depth)
        if let elements = item.elements {
            return .list(try elements.map { try value($0, depth + 1) })
        }
        if case .bool(let value) = item.plain { return .bool(value) }
        switch try item.modelValue(.undefined, other: { throw Self.unknown($0.className) }) {
        case nil: return .null
        case .integer(let value): return .int(value)
        case .double(let value): return .double(value)
        case .decimal(let value): return .decimal(value)
        case .string(let value): return .string(value)
        case .boolean(let value): return .bool(value)
        case .date(let value): return .date(value)
        case .data(let value): return .data(value)
        case .uuid(let value): return .uuid(value)
        case .uri(let text): return URL(string: text).map { .url($0) } ?? .string(text)
        case .archived: throw Self.unknown(item.className)
        }
    }

    private mutating func spend(_ depth: Int) throws {
        // Depth 0 begins a predicate; the budget is for all that one reader reads.
        parts = depth == 0 ? 1 : parts + 1
        budget -= 1
        guard depth < Self.maximumDepth else {
            throw ModelDocumentError(.tooLarge("a predicate nests too deeply"))
        }
        guard parts <= Self.maximumParts, budget > 0 else {
            throw ModelDocumentError(.tooLarge("the predicates have too many parts"))
        }
    }

    private static func unknown(_ name: String?) -> ModelDocumentError {
        ModelDocumentError(.archive("a predicate holds an object of the class \(name ?? "(none)")"))
    }
}

extension PredicateOperator {
    private static let archived: [Int64: PredicateOperator] = [
        0: .lessThan, 1: .lessThanOrEqualTo, 2: .greaterThan, 3: .greaterThanOrEqualTo, 4: .equalTo,
        5: .notEqualTo, 6: .matches, 7: .like, 8: .beginsWith, 9: .endsWith, 10: .in, 99: .contains,
        100: .between,
    ]

    /// The operator of that `NSComparisonPredicate.Operator` number.
    init?(archived number: Int64) {
        guard let known = Self.archived[number] else { return nil }
        self = known
    }

    /// The `NSComparisonPredicate.Operator` number; nil for those that only Apple's type identifiers have.
    var archivedNumber: Int64? { Self.archived.first { $0.value == self }?.key }
}
