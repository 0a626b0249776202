/// Evaluates the expressions of mapping models.
///
/// Calls of `$manager`, `$entityPolicy` and `$source` are answered here, everything around them by the language.
struct MappingExpression {
    let manager: NSMigrationManager
    let mapping: NSEntityMapping
    let policy: NSEntityMigrationPolicy
    let source: NSManagedObject?
    private var variables: [String: Any?] = [:]
    private var count = 0

    init(
        _ manager: NSMigrationManager, _ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy,
        _ source: NSManagedObject?
    ) {
        self.manager = manager
        self.mapping = mapping
        self.policy = policy
        self.source = source
        variables["source"] = .some(source)
    }

    mutating func value(_ tree: ExpressionTree) throws -> Any? {
        let resolved = try resolve(tree)
        if case .variable(let name) = resolved, let known = variables[name] { return known }
        let value = try resolved.anyValue(on: source, variables: variables)
        return (value as? PredicateValue).map(\.anyValue) ?? value
    }

    /// Replaces calls by variables with what they give.
    private mutating func resolve(_ tree: ExpressionTree) throws -> ExpressionTree {
        switch tree {
        case .message(let receiver, let selector, let arguments):
            let values = try arguments.map { try value($0) }
            return keep(try send(selector, to: receiver, values))
        case .fetch(let request, _, _): return keep(try fetch(request))
        case .function(let name, let arguments):
            return .function(name, try arguments.map { try resolve($0) })
        case .member(let base, let path): return .member(try resolve(base), path)
        case .aggregate(let elements): return .aggregate(try elements.map { try resolve($0) })
        case .index(let base, let index): return .index(try resolve(base), index)
        case .setOperation(let operation, let first, let second):
            return .setOperation(operation, try resolve(first), try resolve(second))
        case .conditional(let predicate, let first, let second):
            return .conditional(predicate, try resolve(first), try resolve(second))
        default: return tree
        }
    }

    private mutating func keep(_ value: Any?) -> ExpressionTree {
        count += 1
        let name = "stratusValue\(count)"
        variables[name] = .some(value)
        return .variable(name)
    }

    private mutating func send(_ selector: String, to receiver: ExpressionTree, _ arguments: [Any?]) throws
        -> Any?
    {
        switch receiver {
        case .variable("entityPolicy"): return try policy.value(forSelector: selector, arguments: arguments)
        case .variable("manager"): return try sendToManager(selector, arguments)
        default:
            guard selector == "valueForKey:" || selector == "valueForKeyPath:",
                let key = arguments.first as? String
            else {
                throw unknown(selector)
            }
            guard let object = try value(receiver) else { return nil }
            let keys = selector == "valueForKey:" ? [key] : key.split(separator: ".").map(String.init)
            let value = try ExpressionTree.member(.variable("receiver"), keys).anyValue(
                on: nil, variables: ["receiver": object])
            return (value as? PredicateValue).map(\.anyValue) ?? value
        }
    }

    private func sendToManager(_ selector: String, _ arguments: [Any?]) throws -> Any? {
        let name = arguments.first.flatMap { $0 as? String } ?? ""
        let objects = MigrationObjects.all(arguments.count > 1 ? arguments[1] : nil)
        switch selector {
        case "destinationInstancesForEntityMappingNamed:sourceInstances:":
            return manager.destinationInstances(forEntityMappingName: name, sourceInstances: objects)
        case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
            return manager.destinationInstances(ofAnyMappingFor: objects)
        case "sourceInstancesForEntityMappingNamed:destinationInstances:":
            return manager.sourceInstances(forEntityMappingName: name, destinationInstances: objects)
        default: throw unknown(selector)
        }
    }

    /// `FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", name, predicate)` as a fetch.
    private mutating func fetch(_ request: ExpressionTree) throws -> [NSManagedObject] {
        guard case .message(.variable("manager"), let selector, let arguments) = request,
            selector == "fetchRequestForSourceEntityNamed:predicateString:", arguments.count == 2,
            let name = try value(arguments[0]) as? String, let format = try value(arguments[1]) as? String
        else { throw unknown("FETCH") }
        let predicate: PredicateTree
        do {
            predicate = try PredicateTree(parsing: format)
        } catch {
            throw CoreDataError(
                134110,
                "The source expression of the mapping '\(mapping.name ?? "")' has a predicate that cannot be read.",
                cause: error
            ).cocoa
        }
        return try manager.sources(named: name, NSPredicate(predicate))
    }

    private func unknown(_ selector: String) -> CocoaError {
        CoreDataError(
            134110,
            "The mapping '\(mapping.name ?? "")' has an expression that calls '\(selector)', which is not known.",
            remedy: "Use $source, the manager's destinationInstances…, or a migration policy."
        ).cocoa
    }
}

/// Managed objects in what expressions give: one, a collection, or nothing.
enum MigrationObjects {
    static func all(_ value: Any?) -> [NSManagedObject] {
        switch value {
        case let object as NSManagedObject: [object]
        case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
        case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
        case let set as Set<NSManagedObject>: Array(set)
        case let list as [Any?]: list.compactMap { $0 as? NSManagedObject }
        case let list as [Any]: list.compactMap { $0 as? NSManagedObject }
        default: []
        }
    }
}
