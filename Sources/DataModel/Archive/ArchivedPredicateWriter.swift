internal import Foundation
internal import Predicates

/// Writes predicates and expressions as the objects that Apple's archives hold.
///
/// Nil means that the tree has a part no archive was seen to hold; the format string beside it says it.
struct ArchivedPredicateWriter {
    typealias Value = ArchiveBuilder.Value

    static func predicate(_ format: String, _ builder: inout ArchiveBuilder) -> Value? {
        guard let tree = try? PredicateTree(parsing: format) else { return nil }
        return predicate(tree, &builder)
    }

    /// A predicate that also stands beside the archive's objects as text.
    static func predicate(_ format: String, marked: Bool, _ builder: inout ArchiveBuilder) -> Value? {
        guard let value = predicate(format, &builder), case .uid(let uid) = value else { return nil }
        if marked { builder.add(OwnKey.predicate, .bool(true), to: uid) }
        return value
    }

    static func expression(_ format: String, _ builder: inout ArchiveBuilder) -> Value? {
        guard let tree = try? ExpressionTree(parsing: format) else { return nil }
        return expression(tree, &builder)
    }

    static func predicate(_ tree: PredicateTree, _ builder: inout ArchiveBuilder) -> Value? {
        switch tree {
        case .constant(let value):
            return builder.object(
                [value ? "NSTruePredicate" : "NSFalsePredicate", "NSPredicate", "NSObject"], [:])
        case .and(let parts): return compound(1, parts, &builder)
        case .or(let parts): return compound(2, parts, &builder)
        case .not(let part): return compound(0, [part], &builder)
        case .comparison(let comparison):
            guard let left = expression(comparison.left, &builder),
                let right = expression(comparison.right, &builder),
                let kind = operation(comparison, &builder)
            else { return nil }
            return builder.object(
                ["NSComparisonPredicate", "NSPredicate", "NSObject"],
                ["NSLeftExpression": left, "NSRightExpression": right, "NSPredicateOperator": kind])
        }
    }

    private static func compound(
        _ kind: Int64, _ parts: [PredicateTree], _ builder: inout ArchiveBuilder
    ) -> Value? {
        var values: [Value] = []
        for part in parts {
            guard let value = predicate(part, &builder) else { return nil }
            values.append(value)
        }
        return builder.object(
            ["NSCompoundPredicate", "NSPredicate", "NSObject"],
            ["NSCompoundPredicateType": .int(kind), "NSSubpredicates": builder.array(values)])
    }

    private static func operation(_ comparison: PredicateComparison, _ builder: inout ArchiveBuilder)
        -> Value?
    {
        guard let number = comparison.operator.archivedNumber else { return nil }
        let modifier: Int64 = comparison.modifier == .direct ? 0 : comparison.modifier == .all ? 1 : 2
        let options = Int64(comparison.options.rawValue)
        var fields: [String: Value?] = [
            "NSOperatorType": .int(number), "NSModifier": .int(modifier), "NSOptions": .int(options),
        ]
        var chain = ["NSPredicateOperator", "NSObject"]
        switch comparison.operator {
        case .equalTo, .notEqualTo:
            chain.insert("NSEqualityPredicateOperator", at: 0)
            fields["NSNegate"] = .bool(comparison.operator == .notEqualTo)
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            chain.insert("NSComparisonPredicateOperator", at: 0)
            fields["NSVariant"] = .int(number)
        case .in:
            chain.insert("NSInPredicateOperator", at: 0)
            fields["NSOptions"] = .some(nil)
            fields["NSFlags"] = .int(options)
        case .between: chain.insert("NSBetweenPredicateOperator", at: 0)
        case .matches:
            chain.insert(contentsOf: ["NSMatchingPredicateOperator", "NSStringPredicateOperator"], at: 0)
        case .like: chain.insert(contentsOf: ["NSLikePredicateOperator", "NSStringPredicateOperator"], at: 0)
        case .beginsWith, .endsWith:
            chain.insert(contentsOf: ["NSSubstringPredicateOperator", "NSStringPredicateOperator"], at: 0)
        case .contains: chain.insert("NSInPredicateOperator", at: 0)
        case .utiConformsTo, .utiEquals: return nil
        }
        return builder.object(chain, fields)
    }

    static func expression(_ tree: ExpressionTree, _ builder: inout ArchiveBuilder) -> Value? {
        switch tree {
        case .constant(let value): return constant(value, &builder)
        case .selfObject: return object("NSSelfExpression", 1, [:], &builder)
        case .anyKey: return object("NSAnyKeyExpression", 15, [:], &builder)
        case .variable(let name):
            return object("NSVariableExpression", 2, ["NSVariable": builder.string(name)], &builder)
        case .keyPath(let keys):
            guard let base = expression(.selfObject, &builder) else { return nil }
            return path(keys, of: base, kind: 3, &builder)
        case .member(let base, let keys):
            guard let base = expression(base, &builder) else { return nil }
            return path(keys, of: base, kind: 4, &builder)
        case .function(let selector, let arguments):
            let target = object(
                "NSConstantValueExpression", 0,
                ["NSConstantValueClassName": builder.string("_NSPredicateUtilities")], &builder)
            return call(target, selector, arguments, &builder)
        case .message(let receiver, let selector, let arguments):
            guard let target = expression(receiver, &builder) else { return nil }
            return call(target, selector, arguments, &builder)
        case .aggregate(let elements):
            guard let values = all(elements, &builder) else { return nil }
            return object("NSAggregateExpression", 14, ["NSCollection": builder.array(values)], &builder)
        case .conditional(let condition, let first, let second):
            guard let condition = predicate(condition, &builder), let first = expression(first, &builder),
                let second = expression(second, &builder)
            else { return nil }
            return object(
                "NSTernaryExpression", 20,
                ["NSPredicate": condition, "NSTrueExpression": first, "NSFalseExpression": second], &builder)
        case .fetch(let request, let context, let countOnly):
            guard let request = expression(request, &builder), let context = expression(context, &builder),
                case .constant(.bool(let counts)) = countOnly
            else { return nil }
            return object(
                "NSFetchRequestExpression", 50,
                ["NSFRExpression": request, "NSMOCExpression": context, "NSCountOnlyFlag": .bool(counts)],
                &builder)
        case .subquery, .index, .assignment, .setOperation, .argument, .memberArgument: return nil
        }
    }

    private static func path(
        _ keys: [String], of base: Value, kind: Int64, _ builder: inout ArchiveBuilder
    ) -> Value {
        let specifier = object(
            "NSKeyPathSpecifierExpression", 10, ["NSKeyPath": builder.string(keys.joined(separator: "."))],
            &builder)
        let isSingle = keys.count == 1 && kind == 3
        let fields: [String: Value?] = [
            "NSExpressionType": .int(kind), "NSOperand": base, "NSArguments": builder.array([specifier]),
            "NSSelectorName": builder.string(isSingle ? "valueForKey:" : "valueForKeyPath:"),
        ]
        return builder.object(
            ["NSKeyPathExpression", "NSFunctionExpression", "NSExpression", "NSObject"], fields)
    }

    private static func call(
        _ target: Value, _ selector: String, _ arguments: [ExpressionTree], _ builder: inout ArchiveBuilder
    ) -> Value? {
        guard let values = all(arguments, &builder) else { return nil }
        return object(
            "NSFunctionExpression", 4,
            [
                "NSOperand": target, "NSSelectorName": builder.string(selector),
                "NSArguments": builder.array(values),
            ], &builder)
    }

    private static func all(_ trees: [ExpressionTree], _ builder: inout ArchiveBuilder) -> [Value]? {
        var values: [Value] = []
        for tree in trees {
            guard let value = expression(tree, &builder) else { return nil }
            values.append(value)
        }
        return values
    }

    private static func object(
        _ name: String, _ kind: Int64, _ fields: [String: Value?], _ builder: inout ArchiveBuilder
    ) -> Value {
        var fields = fields
        fields["NSExpressionType"] = .int(kind)
        return builder.object([name, "NSExpression", "NSObject"], fields)
    }

    private static func constant(_ value: PredicateValue, _ builder: inout ArchiveBuilder) -> Value? {
        if case .list(let elements) = value {
            return expression(.aggregate(elements.map { .constant($0) }), &builder)
        }
        guard let model = ModelValue(value) else {
            guard case .null = value else { return nil }
            return object("NSConstantValueExpression", 0, ["NSConstantValue": ArchiveBuilder.null], &builder)
        }
        guard let archived = try? builder.value(model) else { return nil }
        return object("NSConstantValueExpression", 0, ["NSConstantValue": archived], &builder)
    }
}

extension ModelValue {
    /// A constant of a predicate; nil for null, collections and objects.
    init?(_ value: PredicateValue) {
        switch value {
        case .bool(let value): self = .boolean(value)
        case .int(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .decimal(let value): self = .decimal(value)
        case .string(let value): self = .string(value)
        case .date(let value): self = .date(value)
        case .data(let value): self = .data(value)
        case .uuid(let value): self = .uuid(value)
        case .url(let value): self = .uri(value.absoluteString)
        case .null, .list, .set, .dictionary, .object: return nil
        }
    }

    /// The same value as a constant of a predicate; nil for archived objects.
    var predicateValue: PredicateValue? {
        switch self {
        case .boolean(let value): .bool(value)
        case .integer(let value): .int(value)
        case .double(let value): .double(value)
        case .decimal(let value): .decimal(value)
        case .string(let value): .string(value)
        case .date(let value): .date(value)
        case .data(let value): .data(value)
        case .uuid(let value): .uuid(value)
        case .uri(let text): URL(string: text).map { .url($0) } ?? .string(text)
        case .archived: nil
        }
    }
}
