internal import SQLiteAccess
internal import StratusCoreData

/// Makes SQL of predicates and expressions. One for each statement.
///
/// The meaning is that of Predicates' evaluation in memory. Kinds of values are known from the model, so what
/// cannot be compared is an error of the whole fetch, and comparisons that an index can answer stay bare.
final class PredicateCompiler {
    let layout: StoreLayout
    /// The identity of the store: IDs of other stores are in none of its rows.
    let storeIdentifier: String?
    /// What `now()` answers.
    let now: Date
    /// The objects and values of SUBQUERY's variables.
    var variables: [String: Operand] = [:]
    /// The columns of a dictionary fetch by name, for `having` and sorting.
    var namedColumns: [String: Scalar] = [:]
    /// Whether `sum:` and the like may run over the rows of the statement.
    var allowsAggregates = false
    /// Whether they did.
    var usedAggregates = false
    private var aliasCount = 0
    private var depth = 0

    /// SQLite refuses expressions that are nested deeper than 1,000, and each of ours takes a few levels.
    private static let maximumDepth = 200

    init(layout: StoreLayout, storeIdentifier: String?, now: Date) {
        self.layout = layout
        self.storeIdentifier = storeIdentifier
        self.now = now
    }

    func newAlias() -> String {
        defer { aliasCount += 1 }
        return "t\(aliasCount)"
    }

    /// A statement's own rows: those of an entity.
    func source(of entity: EntityTable) -> RowSource {
        let alias = newAlias()
        let scope = SelectScope(source: "\(entity.table.sqlName) \(alias)")
        return RowSource(
            scope: scope, entity: entity, key: "\(alias).Z_PK", isOptional: false, alias: alias)
    }

    func destination(of relationship: NSRelationshipDescription?) throws -> EntityTable {
        guard let entity = relationship?.destinationEntity, let table = layout.table(of: entity) else {
            throw CoreDataError.notStored(relationship?.name ?? "?", "a relationship out of the store")
        }
        return table
    }

    // MARK: Predicates

    /// The condition; null counts as false.
    func condition(_ tree: PredicateTree, _ row: RowSource) throws -> SQLPiece {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else {
            throw CoreDataError.notInSQL("A predicate of more than \(Self.maximumDepth) levels")
        }
        switch tree {
        case .constant(let value): return value ? .yes : .no
        case .and(let parts): return .and(try parts.map { try condition($0, row) })
        case .or(let parts): return .or(try parts.map { try condition($0, row) })
        case .not(let part): return try condition(part, row).negated
        case .comparison(let comparison): return try condition(comparison, row)
        }
    }

    private func condition(_ comparison: PredicateComparison, _ row: RowSource) throws -> SQLPiece {
        let left = try operand(comparison.left, row)
        let test = { (element: Operand) throws -> SQLPiece in
            try self.compare(
                element, comparison.operator, try self.operand(comparison.right, row), comparison.options)
        }
        switch comparison.modifier {
        case .direct: return try test(left)
        case .any: return try any(left, "ANY", test)
        case .all: return try any(left, "ALL") { try test($0).negated }.negated
        }
    }

    /// Whether a test holds for one of the elements.
    private func any(_ left: Operand, _ word: String, _ test: (Operand) throws -> SQLPiece) throws -> SQLPiece
    {
        switch left {
        case .collection(let collection): return try exists(collection, test)
        case .list(let elements): return .or(try Self.flattened(elements).map(test))
        case .constant(.null): return .no
        case .constant(let value):
            guard let elements = value.elements else {
                throw CoreDataError.notACollection("a constant", word)
            }
            return .or(try Self.flattened(elements.map { .constant($0) }).map(test))
        case .scalar(let scalar):
            throw CoreDataError.notACollection(scalar.path.isEmpty ? scalar.kind.name : scalar.path, word)
        case .object(let object):
            throw CoreDataError.notACollection(object.entity.entity.name ?? "an object", word)
        }
    }

    static func flattened(_ elements: [Operand]) throws -> [Operand] {
        try elements.flatMap { element -> [Operand] in
            switch element {
            case .list(let inner): return try flattened(inner)
            case .constant(.list(let inner)): return try flattened(inner.map { .constant($0) })
            case .constant(.set(let inner)): return try flattened(inner.map { .constant($0) })
            case .collection(let collection): throw CoreDataError.toManyKeyNotAllowed(collection.path)
            default: return [element]
            }
        }
    }

    /// Whether a test holds for one of the rows of a collection.
    func exists(_ collection: RowCollection, _ test: (Operand) throws -> SQLPiece) throws -> SQLPiece {
        let found = try test(collection.element)
        if found.isNo { return .no }
        collection.scope.conditions.append(found)
        return "EXISTS (SELECT 1\(collection.scope.tail))"
    }

    // MARK: Expressions

    func operand(_ tree: ExpressionTree, _ row: RowSource) throws -> Operand {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else {
            throw CoreDataError.notInSQL("An expression of more than \(Self.maximumDepth) levels")
        }
        switch tree {
        case .constant(let value): return .constant(value)
        case .selfObject: return .object(row)
        case .keyPath(let keys): return try rootPath(keys, row)
        case .member(let base, let keys):
            return try follow(keys[...], from: try operand(base, row), path: keys.joined(separator: "."))
        case .variable(let name):
            if let value = variables[name] { return value }
            if let column = namedColumns[name] { return .scalar(column) }
            throw CoreDataError.unboundVariable(name)
        case .function(let selector, let arguments): return try function(selector, arguments, row)
        case .message(let receiver, let selector, let arguments):
            return try message(selector, receiver, arguments, row)
        case .aggregate(let elements): return .list(try elements.map { try operand($0, row) })
        case .subquery(let collection, let variable, let predicate):
            return .collection(try subquery(collection, variable, predicate, row))
        case .conditional(let condition, let first, let second):
            return try conditional(
                try self.condition(condition, row), operand(first, row), operand(second, row))
        case .index(let base, let index): return try element(of: try operand(base, row), at: index)
        case .anyKey: throw CoreDataError.notInSQL("ANYKEY")
        case .assignment: throw CoreDataError.notInSQL("An assignment to a variable")
        case .fetch: throw CoreDataError.notInSQL("FETCH", "Fetch first, and pass the result for %@.")
        case .setOperation(let operation, _, _):
            throw CoreDataError.notInSQL(operation.rawValue, "Use IN, AND, OR and NOT.")
        case .argument(let argument), .memberArgument(_, let argument):
            throw CoreDataError.unboundVariable("%\(argument.conversion)")
        }
    }

    private func subquery(
        _ tree: ExpressionTree, _ variable: String, _ predicate: PredicateTree, _ row: RowSource
    ) throws -> RowCollection {
        guard case .collection(var collection) = try operand(tree, row) else {
            throw CoreDataError.notACollection(tree.description, "SUBQUERY")
        }
        let outer = variables[variable]
        variables[variable] = collection.element
        defer { variables[variable] = outer }
        collection.scope.conditions.append(try condition(predicate, row))
        // SUBQUERY gives one list, however deep its collection was.
        collection.depth = 1
        collection.order = nil
        collection.path = "SUBQUERY(\(collection.path), …)"
        return collection
    }

    private func conditional(_ condition: SQLPiece, _ first: Operand, _ second: Operand) throws -> Operand {
        if condition.isYes { return first }
        if condition.isNo { return second }
        if case .object(let one) = first, case .object(let other) = second, one.kind == other.kind {
            let text: SQLPiece = "CASE WHEN \(condition) THEN \(one.key) ELSE \(other.key) END"
            return .scalar(Scalar(text: text, kind: one.kind))
        }
        var left = try scalar(first, "TERNARY")
        var right = try scalar(second, "TERNARY")
        let kind: SQLKind
        switch (left.kind, right.kind) {
        case let (one, other) where one == other: kind = one
        case (.nothing, let other), (let other, .nothing): kind = other
        case let (one, other) where one.isPlainNumber && other.isPlainNumber: kind = .number
        case let (one, other) where one.isNumber && other.isNumber:
            kind = .exact
            left = left.exact
            right = right.exact
        default: throw CoreDataError.incomparable(left.kind, "TERNARY", right.kind)
        }
        return .scalar(
            Scalar(text: "CASE WHEN \(condition) THEN \(left.text) ELSE \(right.text) END", kind: kind))
    }

    /// An operand as one value.
    func scalar(_ operand: Operand, _ purpose: String) throws -> Scalar {
        switch operand {
        case .scalar(let scalar): return scalar
        case .constant(let value):
            guard let kind = SQLKind(value), let binding = SQLBinding(value) else {
                throw CoreDataError.badArgument(purpose, "a collection or an object")
            }
            // SQLite has no such number: it would be null.
            if binding == .null, value != .null { throw CoreDataError.notInSQL("NaN") }
            return Scalar(text: "\(bind: binding)", kind: kind)
        case .object(let object): return Scalar(text: SQLPiece(object.key), kind: object.kind)
        case .list: throw CoreDataError.badArgument(purpose, "a list")
        case .collection(let collection): throw CoreDataError.toManyKeyNotAllowed(collection.path)
        }
    }
}
