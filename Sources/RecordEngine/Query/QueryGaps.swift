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
        var known = Set(gaps)
        var seen: Set<Use> = []
        for use in uses(query) where seen.insert(use).inserted {
            guard gaps.count < RequestGaps.mostNamed else { break }
            gaps += missing(use).filter { known.insert($0).inserted }
        }
        guard gaps.count > 1 else { return error }
        var complete = error
        complete.gaps = gaps
        let list = gaps.map(\.description).joined(separator: ", ")
        complete.remedy =
            "Production lacks \(list). Deploy it, once development has it: stratus schema deploy --container \(fields.tenant.container)"
        return complete
    }

    /// What a query does with a field.
    private struct Use: Hashable {
        enum Kind { case filter, range, sort, words }
        var name: String
        var kind: Kind
    }

    /// What the query does with fields. A predicate that is too long to be answered is not read.
    private func uses(_ query: QueryDictionary) -> [Use] {
        var uses: [Use] = []
        for filter in query.filterBy {
            guard case .field(let name) = fields.resolving(filter.selector) else { continue }
            let isText = [.containsAllTokens, .containsAnyTokens].contains(filter.comparator)
            let kind: Use.Kind = isText ? .words : filter.comparator.use == .range ? .range : .filter
            uses.append(Use(name: name, kind: kind))
        }
        for sort in query.sortBy {
            guard case .field(let name) = fields.resolving(sort.selector) else { continue }
            uses.append(Use(name: name, kind: sort.relativeLocation == nil ? .sort : .filter))
        }
        if let text = query.predicate, text.utf8.count <= Limits.predicateBytes,
            let tree = try? PredicateTree(parsing: text)
        {
            uses += names(tree).map { Use(name: $0, kind: .filter) }
        }
        return uses
    }

    private func missing(_ use: Use) -> [SchemaGap] {
        do {
            switch use.kind {
            case .filter: _ = try fields.queryable(use.name)
            case .range: _ = try fields.queryable(use.name, for: .range)
            case .sort: _ = try fields.sortable(use.name)
            case .words: _ = try fields.searchable(use.name)
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
