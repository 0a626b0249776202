// The order of texts, once for SQL and for memory.

extension StoreSort.Comparison {
    /// The order of two texts: by bytes, by bytes after folding case, or by the rules of the current locale.
    package func textOrder(_ first: String, _ second: String) -> ComparisonResult {
        switch self {
        case .values: Self.binaryOrder(first, second)
        case .caseInsensitive:
            Self.binaryOrder(
                StringFolding.fold(first, options: .caseInsensitive),
                StringFolding.fold(second, options: .caseInsensitive))
        case .localized(let caseInsensitive, let numeric):
            LocalizedOrder.compare(first, second, caseInsensitive: caseInsensitive, numeric: numeric)
        }
    }
}
