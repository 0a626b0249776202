internal import GRDB

/// The SQL functions and collations that every connection of a store has.
enum StoreFunctions {
    static var all: [DatabaseFunction] { affected + SQLFunctions.all }

    static var collations: [DatabaseCollation] { SQLFunctions.collations }

    /// What the triggers of Apple's stores call when they changed a derived attribute: without them every write
    /// to such a table would fail (coredata.md 3.5). The store reads the rows again itself.
    private static let affected = [
        "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
    ].map { DatabaseFunction($0, argumentCount: 5) { _ in nil } }
}
