internal import DataModel

/// What a store says about itself in `Z_METADATA` (Documentation/CoreDataStore.md, 'Metadata').
enum StoreMetadata {
    /// Marks stores that this package wrote, whose version hashes are its own.
    static let writerKey = "StratusStoreVersion"
    /// Our own hashes of the model in a store that Apple's framework wrote. Never written to the store.
    static let ownHashesKey = "StratusModelVersionHashes"
    /// The version of the framework whose layout is written: the newest that was looked at.
    static let frameworkVersion = 1_347

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

    /// The part of the metadata that names the model.
    static func versions(_ model: NSManagedObjectModel, configuration: String?) -> [String: Any] {
        let entities = model.entities(forConfigurationName: configuration) ?? []
        let hashes = Dictionary(entities.map { ($0.name ?? "", $0.versionHash) }) { first, _ in first }
        let versions = VersionHashes(hashes)
        return [
            NSStoreModelVersionHashesKey: hashes,
            NSStoreModelVersionIdentifiersKey: model.versionIdentifiers.compactMap { $0.base as? String }
                .sorted(),
            "NSStoreModelVersionHashesDigest": versions.digest,
            "NSStoreModelVersionChecksumKey": versions.checksum,
        ]
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
}
