import Predicates
import RecordModel
import RecordWire

/// All fields and indexes that a query needs and production's schema lacks.
struct QueryGaps {
    let fields: FieldResolver

    /// Adds to an error about one missing thing what else is missing.
    func completing(_ error: ServiceError, for query: QueryDictionary) -> ServiceError {
        guard !error.gaps.isEmpty else { return error }
        var gaps = error.gaps
        for gap in all(query) where !gaps.contains(gap) { gaps.append(gap) }
        guard gaps.count > 1 else { return error }
        var complete = error
        complete.gaps = gaps
        let list = gaps.map(\.description).joined(separator: ", ")
        complete.remedy =
            "Production lacks \(list). Deploy it, once development has it: stratus schema deploy --container \(fields.tenant.container)"
        return complete
    }

    /// What a query does with a field.
    private enum Use {
        case filter, range, sort, words
    }

    private func all(_ query: QueryDictionary) -> [SchemaGap] {
        var uses: [(name: String, use: Use)] = []
        for filter in query.filterBy {
            guard case .field(let name) = fields.resolving(filter.selector) else { continue }
            let isText = [.containsAllTokens, .containsAnyTokens].contains(filter.comparator)
            uses.append((name, isText ? .words : filter.comparator.use == .range ? .range : .filter))
        }
        for sort in query.sortBy {
            guard case .field(let name) = fields.resolving(sort.selector) else { continue }
            uses.append((name, sort.relativeLocation == nil ? .sort : .filter))
        }
        if let text = query.predicate, let tree = try? PredicateTree(parsing: text) {
            uses += names(tree).map { ($0, .filter) }
        }
        return uses.flatMap { missing($0.name, $0.use) }
    }

    private func missing(_ name: String, _ use: Use) -> [SchemaGap] {
        do {
            switch use {
            case .filter: _ = try fields.queryable(name)
            case .range: _ = try fields.queryable(name, for: .range)
            case .sort: _ = try fields.sortable(name)
            case .words: _ = try fields.searchable(name)
            }
            return []
        } catch {
            return error.gaps
        }
    }

    /// The fields that a predicate asks for, as far as one look at its comparisons tells.
    private func names(_ tree: PredicateTree) -> [String] {
        switch tree {
        case .constant: []
        case .not(let part): names(part)
        case .and(let parts), .or(let parts): parts.flatMap(names)
        case .comparison(let comparison): [comparison.left, comparison.right].compactMap(name)
        }
    }

    private func name(_ expression: ExpressionTree) -> String? {
        switch expression {
        case .keyPath(let path):
            let isSystem =
                path.first.map { SystemField(nativeName: $0) != nil && fields.type[$0] == nil } ?? true
            return isSystem || path.count > 2 || path.count == 2 && path[1] != "@count" ? nil : path.first
        case .function("distanceToLocation:fromLocation:", let arguments):
            return arguments.first.flatMap(name)
        default: return nil
        }
    }
}
