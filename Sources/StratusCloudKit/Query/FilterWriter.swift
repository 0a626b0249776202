internal import Predicates
internal import RecordModel
internal import RecordWire

/// The wire's comparators; Foundation, which the module exports, has another type of this name.
private typealias Comparator = RecordWire.Comparator

/// Writes conditions as the wire's filters, as far as there are filters for them.
struct FilterWriter: Sendable {
    /// Whether `CONTAINS` always means a list's element, as with Apple's service.
    var isStrict: Bool

    /// The filters that together say the same as a condition; nil where no filters do.
    func filters(_ condition: QueryCondition) -> [FilterDictionary]? {
        switch condition {
        case .comparison(let comparison): filters(comparison)
        case .not(let part): negated(part)
        case .constant, .and, .or: nil
        }
    }

    private func filters(_ comparison: QueryCondition.Comparison) -> [FilterDictionary]? {
        // Filters know no `[cd]`, and nothing to compare with 'nil'.
        guard comparison.options.isEmpty, let value = comparison.value else { return nil }
        switch comparison.subject {
        case .allText:
            let comparator: Comparator = comparison.modifier == .all ? .containsAllTokens : .containsAnyTokens
            return [FilterDictionary(comparator, .allText, WireField(value))]
        case .distance(let selector, let place):
            guard [.lessThan, .lessThanOrEqualTo].contains(comparison.operator),
                let metres = value.metres
            else { return nil }
            return [FilterDictionary(.near, selector, WireField(.location(place)), distance: metres)]
        case .field(let selector):
            let comparators =
                switch comparison.modifier {
                case .direct: direct(comparison.operator, value)
                case .any: any(comparison.operator, value)
                case .all: [(Comparator, FieldValue)]?.none
                }
            return comparators?.map { FilterDictionary($0, selector, WireField($1)) }
        }
    }

    private func direct(
        _ operator: PredicateOperator, _ value: FieldValue
    ) -> [(Comparator, FieldValue)]? {
        if case .list(let values, _) = value {
            switch `operator` {
            case .in: return [(.in, value)]
            case .between where values.count == 2:
                return [(.greaterThanOrEquals, values[0]), (.lessThanOrEquals, values[1])]
            default: return nil
            }
        }
        switch `operator` {
        case .equalTo: return [(.equals, value)]
        case .notEqualTo: return [(.notEquals, value)]
        case .lessThan: return [(.lessThan, value)]
        case .lessThanOrEqualTo: return [(.lessThanOrEquals, value)]
        case .greaterThan: return [(.greaterThan, value)]
        case .greaterThanOrEqualTo: return [(.greaterThanOrEquals, value)]
        case .beginsWith: return [(.beginsWith, value)]
        case .contains:
            // A text may be meant as a part of a string: only the service knows the field's type, and it
            // answers the predicate text either way.
            if case .string = value, !isStrict { return nil }
            return [(.listContains, value)]
        default: return nil
        }
    }

    private func any(_ operator: PredicateOperator, _ value: FieldValue) -> [(Comparator, FieldValue)]? {
        if case .list = value { return `operator` == .in ? [(.listContainsAny, value)] : nil }
        switch `operator` {
        case .contains, .equalTo: return [(.listContains, value)]
        case .beginsWith: return [(.listMemberBeginsWith, value)]
        default: return nil
        }
    }

    private static let opposites: [Comparator: Comparator] = [
        .equals: .notEquals, .notEquals: .equals, .in: .notIn, .listContains: .notListContains,
        .listContainsAny: .notListContainsAny, .beginsWith: .notBeginsWith,
        .listMemberBeginsWith: .notListMemberBeginsWith,
    ]

    private func negated(_ condition: QueryCondition) -> [FilterDictionary]? {
        guard let filters = filters(condition), filters.count == 1, var filter = filters.first,
            let opposite = Self.opposites[filter.comparator]
        else { return nil }
        filter.comparator = opposite
        return [filter]
    }
}

extension FieldValue {
    fileprivate var metres: Double? {
        switch self {
        case .int64(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
