/// What a store says about itself in `Z_METADATA`, as far as it names its model (Documentation/CoreDataStore.md, 'Metadata').
package enum StoreMetadata {
    /// Marks stores that this package wrote, whose version hashes are its own.
    package static let writerKey = "StratusStoreVersion"
    /// Our own hashes of the model in a store that Apple's framework wrote. Never written to the store.
    package static let ownHashesKey = "StratusModelVersionHashes"
    /// The version of the framework whose layout is written: the newest that was looked at.
    package static let frameworkVersion = 1_347

    /// The part of the metadata that names the model.
    package static func versions(_ model: NSManagedObjectModel, configuration: String?) -> [String: Any] {
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
}
