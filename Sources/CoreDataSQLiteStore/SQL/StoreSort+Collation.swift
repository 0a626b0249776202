internal import StratusCoreData

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
