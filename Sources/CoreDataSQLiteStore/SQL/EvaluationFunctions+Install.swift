internal import SQLiteAccess
internal import StratusCoreData

extension SQLiteArguments {
    /// The values from a position on, read as their letters say.
    func values(letters: String, from position: Int) -> [PredicateValue] {
        letters.enumerated().map { value(position + $0.offset).value($0.element) }
    }
}

extension EvaluationFunctions {
    /// Adds all functions and collations to a connection.
    static func install(on connection: SQLiteConnection) throws {
        for function in all { try connection.add(function) }
        try connection.add(aggregate: SQLStatistic.self, "stratus_statistic", 3)
        for comparison in StoreSort.Comparison.localizedVariants {
            try connection.add(collation: comparison.collationName) {
                comparison.textOrder($0, $1).rawValue
            }
        }
    }
}
