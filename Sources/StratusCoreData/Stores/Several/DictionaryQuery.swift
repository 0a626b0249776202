/// A fetch of dictionaries over objects in memory, as SQL answers it over the rows of one store.
///
/// It keeps values only, and one object of each group, so rows can be handed to it as they are read:
/// ```swift
/// var query = try DictionaryQuery(fetch, columns)
/// for object in objects { try query.add(object) }
/// return try query.dictionaries()
/// ```
struct DictionaryQuery {
    private let fetch: StoreFetch
    private let columns: StoreColumns
    private let statistics: [RowStatistics.Statistic]
    /// The columns, the condition and the order, with variables for statistics and for other columns.
    private let values: [ExpressionTree]
    private let having: PredicateTree?
    private let keys: [ExpressionTree]
    private let groupKeys: [ExpressionTree]
    private let now = Date()

    private var lines: [Line] = []
    private var groups: [Group] = []
    private var places: [[PredicateValue]: Int] = [:]

    /// What becomes a dictionary.
    private struct Line {
        var values: [Any?]
        var keys: [PropertyValue]
    }

    /// Rows with the same values of the properties to group by.
    private struct Group {
        var first: (any KeyValueReadable)?
        var key: [PropertyValue] = []
        /// For each statistic what it is over.
        var values: [[PredicateValue]]
    }

    /// - Throws: `CocoaError` 134060 for a column that is neither a statistic nor grouped by, beside those that are.
    init(_ fetch: StoreFetch, _ columns: StoreColumns) throws {
        self.fetch = fetch
        self.columns = columns
        var statistics = RowStatistics(entity: fetch.entity, columns: columns.columns)
        var plain: [StoreColumns.Column] = []
        values = columns.columns.map { column in
            let count = statistics.found.count
            let tree = statistics.taken(from: column.expression)
            if case .constant = tree { return tree }
            if statistics.found.count == count { plain.append(column) }
            return tree
        }
        having = columns.having.map { statistics.taken(from: $0) }
        keys = fetch.sort.map { statistics.taken(from: .keyPath($0.path)) }
        groupKeys = columns.groupBy.map { .keyPath($0) }
        self.statistics = statistics.found
        guard isGrouped else { return }
        if groupKeys.isEmpty { groups = [Group(first: nil, values: statistics.found.map { _ in [] })] }
        for column in plain where !groupKeys.contains(column.expression) {
            throw CoreDataError(
                134060, "'\(column.name)' is neither an aggregate nor among the properties to group by.",
                remedy: "Add it to propertiesToGroupBy, or remove it from propertiesToFetch."
            ).cocoa
        }
    }

    private var isGrouped: Bool { !statistics.isEmpty || !groupKeys.isEmpty }

    /// Whether each object has its dictionary, and nothing but its own properties decides about the order: the first ones
    /// are then enough.
    var isOfEachObject: Bool {
        !isGrouped && !columns.isDistinct
            && keys.allSatisfy { if case .keyPath = $0 { true } else { false } }
    }

    /// Takes an object that the fetch finds.
    ///
    /// - Throws: `CocoaError` 134060 where an expression cannot be evaluated.
    mutating func add(_ object: any KeyValueReadable) throws {
        guard isGrouped else {
            if let line = try line(object, [:], groupKey: []) { lines.append(line) }
            return
        }
        let key = try groupKeys.map { try read($0, object).forGroups }
        let place = places[key] ?? groups.endIndex
        if place == groups.endIndex, !groupKeys.isEmpty {
            places[key] = place
            let values = try groupKeys.map { PropertyValue(predicate: try read($0, object)) }
            groups.append(Group(first: object, key: values, values: statistics.map { _ in [] }))
        }
        // Without groups all rows are in the one that is there from the start.
        let own = groupKeys.isEmpty ? 0 : place
        for (index, statistic) in statistics.enumerated() {
            let value = try read(statistic.argument, object)
            if value != .null { groups[own].values[index].append(value) }
        }
    }

    /// The dictionaries of the objects that were added.
    ///
    /// - Throws: `CocoaError` 134060 where an expression cannot be evaluated.
    func dictionaries() throws -> [[String: Any]] {
        var found = lines
        for group in groups {
            var variables: [String: Any?] = [:]
            for (place, statistic) in statistics.enumerated() {
                let value = try Self.evaluating { () throws(PredicateEvaluationError) in
                    try statistic.value(of: group.values[place])
                }
                variables[RowStatistics.variable(place)] = .some(value)
            }
            if let line = try line(group.first, variables, groupKey: group.key) { found.append(line) }
        }
        // SQLite sorts in order to group, so groups come in the order of what they are grouped by.
        let order = fetch.sort + columns.groupBy.map { StoreSort(path: $0) }
        if !order.isEmpty, isGrouped || !fetch.sort.isEmpty {
            found.sort { (isGrouped ? order : fetch.sort).precede($0.keys, $1.keys) }
        }
        if columns.isDistinct {
            var seen: Set<[PredicateValue]> = []
            found.removeAll { !seen.insert($0.values.map { PredicateValue($0).forGroups }).inserted }
        }
        return fetch.page(of: found).map { line in
            var row: [String: Any] = [:]
            for (column, value) in zip(columns.columns, line.values) {
                row[column.name] = DictionaryValue.any(value, as: column.type)
            }
            return row
        }
    }

    /// The line of an object or a group; nil where it does not fulfil the condition.
    private func line(
        _ object: (any KeyValueReadable)?, _ statistics: [String: Any?], groupKey: [PropertyValue]
    ) throws -> Line? {
        var variables = statistics
        var found: [Any?] = []
        for (column, tree) in zip(columns.columns, values) {
            let value = try Self.evaluating { () throws(PredicateEvaluationError) in
                try tree.anyValue(on: object, variables: variables, now: now)
            }
            found.append(value)
            variables[column.name] = .some(value)
        }
        if let having {
            let isWanted = try Self.evaluating { () throws(PredicateEvaluationError) in
                try having.evaluate(on: object, variables: variables, now: now)
            }
            if !isWanted { return nil }
        }
        let keys = try keys.map { PropertyValue(predicate: try read($0, object, variables)) }
        return Line(values: found, keys: keys + groupKey)
    }

    private func read(
        _ tree: ExpressionTree, _ object: (any KeyValueReadable)?, _ variables: [String: Any?] = [:]
    ) throws -> PredicateValue {
        try Self.evaluating { () throws(PredicateEvaluationError) in
            try tree.value(on: object, variables: variables, now: now)
        }
    }

    /// What an evaluation gives.
    ///
    /// - Throws: `CocoaError` 134060 in place of the evaluation's error.
    static func evaluating<Value>(_ work: () throws(PredicateEvaluationError) -> Value) throws -> Value {
        do { return try work() } catch {
            throw CoreDataError(134060, error.message, remedy: error.remedy, cause: error).cocoa
        }
    }
}
