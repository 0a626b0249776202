/// A kind of store whose objects are in a file, which a coordinator can read, copy, replace, remove and migrate while no
/// store is open on it. The SQLite store is one; stores of apps look after their files themselves.
package protocol FileStore: GraphStore {
    // MARK: The file of an open store

    /// What distinguishes the states of the file, for code that keeps something made from its content. Nil where the
    /// file cannot be read, or changed so lately that the clock may not show a later change.
    var fileState: String? { get }

    /// Copies the open store, as it is now, to another address.
    ///
    /// - Throws: `CocoaError` 134160 where there is a store.
    func copyFiles(to url: URL) throws

    // MARK: Files

    /// Whether there is a file with anything in it; an empty one is a store that is to be made, or was destroyed.
    static func hasContent(at url: URL) -> Bool

    /// What the store at an address knows about itself.
    ///
    /// - Throws: `CocoaError` 134080 where there is none.
    static func readMetadata(at url: URL) throws -> [String: Any]

    /// Changes what the store at an address knows about itself, but for its identity, type and model.
    ///
    /// - Throws: `CocoaError`: 134080 where there is none, 134030 for a value that cannot be kept.
    static func writeMetadata(
        _ metadata: [String: Any], at url: URL, options: [AnyHashable: Any]?
    ) throws

    /// Puts a copy of one store in another's place, so that one of them is there whole at every moment.
    ///
    /// - Throws: `CocoaError`: 134080 where there is none to copy, 134090 where the other one is in use.
    static func replaceFiles(at destination: URL, from source: URL) throws

    /// Removes a store's files but for an empty one; all of them where it is not there.
    ///
    /// - Parameter isForced: whether a file goes that is not a store, too.
    /// - Throws: `CocoaError` 134080 where the file is no store.
    static func destroyFiles(at url: URL, isForced: Bool) throws

    /// Removes every file of a store.
    static func removeFiles(at url: URL) throws

    // MARK: Migration

    /// Whether another model wrote the store; false for an empty file.
    static func needsMigration(_ migration: MigrationRequest) throws -> Bool

    /// What the store says about itself, and the model that wrote it where it is known.
    ///
    /// - Throws: `CocoaError` 134080 where there is no store.
    static func writer(
        of migration: MigrationRequest
    ) throws -> (metadata: [String: Any], model: NSManagedObjectModel?)

    /// What ``migrate(_:)`` would do.
    ///
    /// - Throws: `CocoaError`: 134080 where there is no store, 134130 where the model that wrote it is not known.
    static func plan(_ migration: MigrationRequest) throws -> MigrationPlan

    /// Brings the file to the model where it is not of it yet; whatever happens, the older store or the newer one is
    /// there.
    ///
    /// - Throws: `CocoaError`; the store is then as it was.
    static func migrate(_ migration: MigrationRequest) throws

    /// Makes a copy of a store that is of another version, by the mapping that can be inferred.
    ///
    /// - Parameter models: the model of the store and the wanted one.
    /// - Throws: `CocoaError`; nothing is left at the destination then.
    static func copyMigrating(
        from source: URL, to destination: URL, models: [NSManagedObjectModel],
        versions: [NSManagedObjectModel], progress: @escaping (MigrationProgress) throws -> Void
    ) throws
}
