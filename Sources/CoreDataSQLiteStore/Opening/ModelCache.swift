internal import DataModel
internal import StratusCoreData

/// The model that a store carries in `Z_MODELCACHE`, so that it can be read without the app.
enum ModelCache {
    /// The bytes for a model; nil leaves the table without a row, as some of Apple's stores have it.
    static func write(_ model: NSManagedObjectModel) -> Data? {
        do {
            return try model.document.modelCache()
        } catch {
            // The store is whole without it; only tools that open it without the app miss the model.
            CoreDataLog.report("The model is not written into the store: \(error)")
            return nil
        }
    }

    /// The model of the bytes; nil where they cannot be read.
    static func read(_ data: Data) -> NSManagedObjectModel? {
        (try? ModelDocument(modelCache: data)).map { NSManagedObjectModel(document: $0) }
    }
}
