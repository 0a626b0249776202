internal import DataModel
internal import StratusCoreData

extension StoreMetadata {
    /// The metadata of a new store.
    static func new(_ model: NSManagedObjectModel, configuration: String?, type: String, identifier: String)
        -> [String: Any]
    {
        var result: [String: Any] = [
            NSStoreTypeKey: type, NSStoreUUIDKey: identifier, writerKey: 1, "_NSAutoVacuumLevel": "2",
            "NSPersistenceFrameworkVersion": frameworkVersion, "NSStoreModelVersionHashesVersion": 3,
        ]
        result.merge(versions(model, configuration: configuration)) { _, new in new }
        return result
    }

    /// The bytes for `Z_PLIST`.
    ///
    /// - Throws: `CocoaError` where a value cannot be in a property list.
    static func encode(_ metadata: [String: Any]) throws -> Data {
        var entries = metadata
        entries[NSStoreUUIDKey] = nil
        entries[ownHashesKey] = nil
        do {
            return try PropertyListSerialization.data(fromPropertyList: entries, format: .binary, options: 0)
        } catch {
            throw CoreDataError(
                134030, "The store's metadata has a value that cannot be stored.",
                remedy: "Use strings, numbers, dates, data, arrays and dictionaries.", cause: error
            ).cocoa
        }
    }

    /// The metadata of a row of `Z_METADATA`; a store without a list, as some have it, still has an identity.
    static func decode(_ data: Data?, identifier: String) -> [String: Any] {
        var result = data.flatMap(PropertyList.dictionary) ?? [:]
        result[NSStoreUUIDKey] = identifier
        if result[NSStoreTypeKey] == nil { result[NSStoreTypeKey] = NSSQLiteStoreType }
        return result
    }

    /// Whether a key names the identity or the model of a store, which apps do not change.
    static func isOwn(_ key: String) -> Bool {
        [NSStoreTypeKey, NSStoreUUIDKey, writerKey, ownHashesKey, NSStoreModelVersionIdentifiersKey].contains(
            key)
            || key.hasPrefix("NSStoreModelVersion") || key.hasPrefix("NSPersistence") || key.hasPrefix("_NS")
    }
}
