/// The model that a store carries in `Z_MODELCACHE`, so that it can be read without the app.
enum ModelCache {
    /// The bytes for a model; nil leaves the table without a row, as some of Apple's stores have it.
    ///
    /// The module DataModel writes the archive; until it is part of the package nothing is written.
    static func write(_ model: NSManagedObjectModel) -> Data? { nil }

    /// The model of the bytes; nil where they cannot be read.
    static func read(_ data: Data) -> NSManagedObjectModel? { nil }
}
