import CoreData

/// Where a store stands, and what its model is.
enum Migrator {
    static func isCurrent(_ url: URL, model: NSManagedObjectModel) throws -> Bool {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: url, options: nil)
        return model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
    }

    static func versions(in bundle: Bundle) -> [NSManagedObjectModel] {
        guard let folder = bundle.url(forResource: "Library", withExtension: "momd") else { return [] }
        let files =
            (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.filter { $0.pathExtension == "mom" }.compactMap { NSManagedObjectModel(contentsOf: $0) }
    }
}
