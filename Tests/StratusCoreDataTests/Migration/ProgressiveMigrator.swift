import Foundation
import StratusCoreData

/// The migrator that many apps have: through all versions of a `.momd`, one by one.
struct ProgressiveMigrator {
    let momd: URL
    /// Where mapping models are; what has none is inferred.
    var bundles: [Bundle] = []

    /// Brings the store to the model, and says which versions it went through.
    func migrate(_ store: URL, to final: NSManagedObjectModel) throws -> [String] {
        var steps: [String] = []
        while true {
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: store, options: nil)
            if final.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) { return steps }
            let models = try versions()
            guard
                let place = models.firstIndex(where: {
                    $0.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
                }), place + 1 < models.count
            else { throw CocoaError(CocoaError.Code(rawValue: 134100)) }
            let (source, next) = (models[place], models[place + 1])
            let mapping =
                try NSMappingModel(
                    from: bundles, forSourceModel: source.model, destinationModel: next.model)
                ?? NSMappingModel.inferredMappingModel(
                    forSourceModel: source.model, destinationModel: next.model)
            let manager = NSMigrationManager(sourceModel: source.model, destinationModel: next.model)
            let temporary = store.deletingLastPathComponent().appendingPathComponent(
                UUID().uuidString + ".sqlite")
            try manager.migrateStore(
                from: store, sourceType: NSSQLiteStoreType, options: nil, with: mapping,
                toDestinationURL: temporary, destinationType: NSSQLiteStoreType, destinationOptions: nil)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: next.model)
            try coordinator.replacePersistentStore(
                at: store, destinationOptions: nil, withPersistentStoreFrom: temporary, sourceOptions: nil,
                ofType: NSSQLiteStoreType)
            try coordinator.destroyPersistentStore(at: temporary, ofType: NSSQLiteStoreType, options: nil)
            steps.append(next.name)
        }
    }

    /// The `.mom` files in order.
    private func versions() throws -> [(name: String, model: NSManagedObjectModel)] {
        let files = try FileManager.default.contentsOfDirectory(at: momd, includingPropertiesForKeys: nil)
        let models = files.filter { $0.pathExtension == "mom" }.compactMap { url in
            NSManagedObjectModel(contentsOf: url).map {
                (name: url.deletingPathExtension().lastPathComponent, model: $0)
            }
        }
        return models.sorted { $0.name.localizedStandardCompare($1.name) == .orderedAscending }
    }
}
