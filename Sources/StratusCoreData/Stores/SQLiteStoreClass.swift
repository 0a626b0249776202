/// The class of the SQLite store, which is not this module's.
///
/// Nothing here imports SQLite, and a module has no code that runs when it is loaded, so the class is looked up by its
/// name at the first use. The products CoreData, StratusCoreData and CoreDataTesting link it; a program with targets of
/// its own choice may not have it, and is told so when it adds a store.
enum SQLiteStoreClass {
    /// The module's and the class's name.
    private static let name = "CoreDataSQLiteStore.SQLiteObjectStore"

    /// Nil where the program does not link the module.
    static let linked = NSClassFromString(name) as? any FileStore.Type

    /// - Throws: `CocoaError` 134000 where the program does not link the module.
    static func required() throws -> any FileStore.Type {
        guard let linked else {
            throw CoreDataError(
                134000, "The program has no stores of SQLite: it does not link the class \(name).",
                remedy: "Depend on the product CoreData or StratusCoreData of the package stratus."
            ).cocoa
        }
        return linked
    }

    /// The types of stores that it is the class of, by name.
    static var types: [String: NSPersistentStore.Type] {
        guard let linked else { return [:] }
        return [NSSQLiteStoreType: linked, NSInMemoryStoreType: linked]
    }
}
