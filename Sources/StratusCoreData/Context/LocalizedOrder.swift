/// The order of texts that `localizedCompare:` and its relatives ask for, the same in memory and in SQL.
enum LocalizedOrder {
    static func compare(_ first: String, _ second: String, caseInsensitive: Bool, numeric: Bool)
        -> ComparisonResult
    {
        var options: String.CompareOptions = []
        if caseInsensitive { options.insert(.caseInsensitive) }
        if numeric { options.insert(.numeric) }
        return first.compare(second, options: options, locale: locale)
    }

    private static let locale = Locale.current
}
