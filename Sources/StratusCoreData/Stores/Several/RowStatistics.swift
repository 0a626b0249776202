/// Finds the statistics over rows in the expressions of a fetch of dictionaries, and puts variables in their places.
///
/// `sum:(price)`, `count:(SELF)` and `@max.price` run over the rows; `max:(children.price)` and `children.@sum.price`
/// are values of each row.
struct RowStatistics {
    /// A statistic, and what it is over.
    struct Statistic {
        var selector: String
        var argument: ExpressionTree
    }

    /// What was found; the value of each goes into the variable of its place.
    private(set) var found: [Statistic] = []
    private let entity: NSEntityDescription
    private let columns: [String: ExpressionTree]

    /// - Parameters:
    ///   - entity: the entity of the rows.
    ///   - columns: the columns, which expressions name as `$name`, or as a key that the entity lacks.
    init(entity: NSEntityDescription, columns: [StoreColumns.Column]) {
        self.entity = entity
        self.columns = Dictionary(columns.map { ($0.name, $0.expression) }) { $1 }
    }

    /// The variable for the value of a statistic; no name that a format can have.
    static func variable(_ place: Int) -> String { "#\(place)" }

    /// The expression with variables in the places of its statistics.
    mutating func taken(from tree: ExpressionTree) -> ExpressionTree {
        switch tree {
        case .keyPath(let keys): return taken(from: keys)
        case .function(let selector, let arguments)
        where PredicateFunction.statistics.contains(selector) && arguments.count == 1 && isOfRow(arguments[0]):
            return note(selector, arguments[0])
        case .function(let selector, let arguments):
            return .function(selector, arguments.map { taken(from: $0) })
        case .message(let receiver, let selector, let arguments):
            return .message(
                taken(from: receiver), selector: selector, arguments: arguments.map { taken(from: $0) })
        case .aggregate(let elements): return .aggregate(elements.map { taken(from: $0) })
        case .member(let base, let keys): return .member(taken(from: base), keys)
        case .index(let base, let index): return .index(taken(from: base), index)
        case .conditional(let condition, let first, let second):
            return .conditional(taken(from: condition), taken(from: first), taken(from: second))
        case .setOperation(let operation, let first, let second):
            return .setOperation(operation, taken(from: first), taken(from: second))
        default: return tree
        }
    }

    /// The predicate with variables in the places of its statistics.
    mutating func taken(from tree: PredicateTree) -> PredicateTree {
        switch tree {
        case .constant: return tree
        case .comparison(var comparison):
            comparison.left = taken(from: comparison.left)
            comparison.right = taken(from: comparison.right)
            return .comparison(comparison)
        case .and(let parts): return .and(parts.map { taken(from: $0) })
        case .or(let parts): return .or(parts.map { taken(from: $0) })
        case .not(let part): return .not(taken(from: part))
        }
    }

    private mutating func taken(from keys: [String]) -> ExpressionTree {
        if keys == ["@count"] { return note("count:", .selfObject) }
        if keys.count > 1, let selector = Self.selectors[keys[0]] {
            return note(selector, .keyPath(Array(keys.dropFirst())))
        }
        // A column may have the name of what it is, as `objectID`.
        let isColumn =
            keys.count == 1 && entity.layout.slots[keys[0]] == nil
            && columns[keys[0]].map { $0 != .keyPath(keys) } ?? false
        return isColumn ? .variable(keys[0]) : .keyPath(keys)
    }

    private static let selectors = ["@sum": "sum:", "@avg": "average:", "@min": "min:", "@max": "max:"]

    private mutating func note(_ selector: String, _ argument: ExpressionTree) -> ExpressionTree {
        found.append(Statistic(selector: selector, argument: argument.substituting(columns)))
        return .variable(Self.variable(found.count - 1))
    }

    /// Whether an expression has one value in each row, which is not the same in all of them.
    private func isOfRow(_ tree: ExpressionTree) -> Bool {
        switch tree {
        case .constant, .aggregate, .subquery, .setOperation: false
        case .keyPath(let keys): !leadsToMany(keys)
        case .member(.subquery, let keys): Self.makesOne(keys)
        default: true
        }
    }

    private func leadsToMany(_ keys: [String]) -> Bool {
        var entity = entity
        var isMany = false
        for (place, key) in keys.enumerated() {
            if key.first == "@" { return !Self.makesOne(Array(keys[place...])) }
            let relationship = entity.withDescendants.lazy.compactMap { $0.relationshipsByName[key] }.first
            guard let relationship, let destination = relationship.destinationEntity else { break }
            if relationship.isToMany { isMany = true }
            entity = destination
        }
        return isMany
    }

    /// Whether keys that begin at a collection have one value.
    private static func makesOne(_ keys: [String]) -> Bool {
        guard let key = keys.first(where: { $0.first == "@" }) else { return false }
        return !["@unionOfObjects", "@distinctUnionOfObjects", "@allValues"].contains(key)
    }
}

extension RowStatistics.Statistic {
    /// The statistic of the values of all rows, nulls left out; as SQLite computes it.
    ///
    /// - Throws: ``PredicateEvaluationError`` for what has no such statistic.
    func value(of values: [PredicateValue]) throws(PredicateEvaluationError) -> PredicateValue {
        switch selector {
        case "count:": return .int(Int64(values.count))
        case "min:": return Self.extreme(values, .orderedAscending)
        case "max:": return Self.extreme(values, .orderedDescending)
        default: return try ExpressionTree.function(selector, [.constant(.list(values))]).value(on: nil)
        }
    }

    /// The first or last of the values in the order of a fetch.
    private static func extreme(_ values: [PredicateValue], _ wanted: ComparisonResult) -> PredicateValue {
        guard var best = values.first else { return .null }
        for value in values.dropFirst() {
            let order = StoreSort.Comparison.values.order(
                PropertyValue(predicate: value), PropertyValue(predicate: best))
            if order == wanted { best = value }
        }
        return best
    }
}
