internal import SQLiteAccess
internal import StratusCoreData

/// The SQL functions that a store of Apple's needs, beside those of fetches.
enum StoreFunctions {
    /// What the triggers of Apple's stores call when they changed a derived attribute: without them every write
    /// to such a table would fail (Documentation/CoreDataStore.md, 'Derived attributes'). The store reads the rows
    /// again itself.
    static let affected = [
        "NSCoreDataDATriggerUpdatedAffectedObjectValue",
        "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
    ].map { SQLiteFunction($0, 5, isDeterministic: false) { _ in .null } }
}
