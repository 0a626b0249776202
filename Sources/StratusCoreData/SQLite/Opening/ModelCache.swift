internal import DataModel

/// The model that a store carries in `Z_MODELCACHE`, so that it can be read without the app.
enum ModelCache {
    /// The bytes for a model; nil leaves the table without a row, as some of Apple's stores have it.
    static func write(_ model: NSManagedObjectModel) -> Data? {
        do {
            return try model.document.modelCache()
        } catch {
            // The store works without it; only the way back to its model is longer.
            CoreDataLog.report("The model could not be put into the store: \(error)")
            return nil
        }
    }

    /// The model of the bytes; nil where they cannot be read.
    static func read(_ data: Data) -> NSManagedObjectModel? {
        (try? ModelDocument(modelCache: data)).map(NSManagedObjectModel.init(document:))
    }
}
