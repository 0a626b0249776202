// The order of texts, once for SQL and for memory.

extension StoreSort.Comparison {
    /// The comparisons that SQLite needs a collation for.
    static let localizedVariants: [StoreSort.Comparison] = [
        .localized(caseInsensitive: false, numeric: false), .localized(caseInsensitive: true, numeric: false),
        .localized(caseInsensitive: false, numeric: true), .localized(caseInsensitive: true, numeric: true),
    ]

    /// The name of the collation that orders so.
    var collationName: String {
        switch self {
        case .values, .caseInsensitive: "BINARY"
        case .localized(let caseInsensitive, let numeric):
            "stratus_localized" + (caseInsensitive ? "_ci" : "") + (numeric ? "_numeric" : "")
        }
    }
}

extension StoreSort {
    /// The order of two texts.
    ///
    /// `caseInsensitive` folds case without a locale and then compares bytes. A localized order is that of the
    /// current locale; a numeric one takes digits as numbers and tells texts apart that differ in case only,
    /// as `localizedStandardCompare` does.
    static func order(_ first: String, _ second: String, _ comparison: Comparison) -> ComparisonResult {
        switch comparison {
        case .values: return bytes(first, second)
        case .caseInsensitive:
            return bytes(
                StringFolding.fold(first, options: .caseInsensitive),
                StringFolding.fold(second, options: .caseInsensitive))
        case .localized(let caseInsensitive, let numeric):
            var options: String.CompareOptions = []
            if caseInsensitive { options.insert(.caseInsensitive) }
            if numeric { options.insert(.numeric) }
            let result = first.compare(second, options: options, range: nil, locale: .current)
            // Distinct texts get an order in any case, or a list of them would not be stable.
            return result == .orderedSame && numeric ? bytes(first, second) : result
        }
    }

    private static func bytes(_ first: String, _ second: String) -> ComparisonResult {
        if first.utf8.elementsEqual(second.utf8) { return .orderedSame }
        return first.utf8.lexicographicallyPrecedes(second.utf8) ? .orderedAscending : .orderedDescending
    }

    /// The order of two values of the key, as the store's statement has it: nil first when ascending, values
    /// without an order between them equal.
    func order(_ first: PredicateValue, _ second: PredicateValue) -> ComparisonResult {
        let result = ascendingOrder(first, second)
        return ascending ? result : ComparisonResult(rawValue: -result.rawValue) ?? .orderedSame
    }

    private func ascendingOrder(_ first: PredicateValue, _ second: PredicateValue) -> ComparisonResult {
        switch (first, second) {
        case (.null, .null): return .orderedSame
        case (.null, _): return .orderedAscending
        case (_, .null): return .orderedDescending
        case (.string(let left), .string(let right)): return Self.order(left, right, comparison)
        case (.object(let left), .object(let right)):
            guard let one = left.base as? NSManagedObjectID, let other = right.base as? NSManagedObjectID
            else { return .orderedSame }
            return Self.order(one, other, ascending: true)
        default:
            return switch first.order(to: second) {
            case .ascending: .orderedAscending
            case .descending: .orderedDescending
            case .equal, nil: .orderedSame
            }
        }
    }

    /// Which of two objects comes first where all keys are equal: by primary key, in the direction of the first
    /// key, since that is how an index over the keys has them. Objects that are not saved yet come last.
    static func order(_ first: NSManagedObjectID, _ second: NSManagedObjectID, ascending: Bool)
        -> ComparisonResult
    {
        switch (first.reference, second.reference) {
        case (.row(let one), .row(let other)):
            if one == other { return .orderedSame }
            return (one < other) == ascending ? .orderedAscending : .orderedDescending
        case (.temporary(let one), .temporary(let other)):
            return one == other ? .orderedSame : one < other ? .orderedAscending : .orderedDescending
        case (.custom(let one), .custom(let other)): return bytes(one, other)
        case (.row, _), (.custom, .temporary): return .orderedAscending
        case (.temporary, _), (.custom, _): return .orderedDescending
        }
    }
}

extension [StoreSort] {
    /// Whether objects with equal keys follow in the order of their primary keys, or in the reverse.
    var tiesAscend: Bool { first?.ascending ?? true }
}
