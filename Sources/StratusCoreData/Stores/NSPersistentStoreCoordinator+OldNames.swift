// Names that Apple deprecated and that code of before 2016 has.

extension NSPersistentStoreCoordinator {
    /// What a store knows about itself; the spelling of before 2015.
    ///
    /// - Throws: what the newer spelling throws.
    @available(*, deprecated, message: "Use metadataForPersistentStore(type:at:options:).")
    public class func metadataForPersistentStore(
        ofType storeType: String?, at url: URL
    ) throws -> [String: Any] {
        try metadataForPersistentStore(type: .init(rawValue: storeType ?? NSSQLiteStoreType), at: url)
    }

    /// What a store knows about itself; the spelling of 2005.
    ///
    /// - Throws: what the newer spelling throws.
    @available(*, deprecated, message: "Use metadataForPersistentStore(type:at:options:).")
    public class func metadataForPersistentStore(with url: URL) throws -> [AnyHashable: Any] {
        try metadataForPersistentStore(type: .sqlite, at: url)
    }

    /// Changes what a store knows about itself; the spelling of before 2015.
    ///
    /// - Throws: what the newer spelling throws.
    @available(*, deprecated, message: "Use setMetadata(_:type:at:options:).")
    public class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String?, at url: URL
    ) throws {
        try setMetadata(metadata, type: .init(rawValue: storeType ?? NSSQLiteStoreType), at: url)
    }

    /// What an external record says of its object: nothing, since none are written here.
    @available(*, deprecated, message: "Spotlight no longer uses external records.")
    public class func elementsDerived(fromExternalRecordAt fileURL: URL) -> [AnyHashable: Any] { [:] }

    /// Makes a store of external records, which are not written here.
    ///
    /// - Throws: `CocoaError` 134200, always.
    @available(*, deprecated, message: "Spotlight no longer uses external records.")
    public func importStore(
        withIdentifier storeIdentifier: String?, fromExternalRecordsDirectoryAt externalRecordsURL: URL,
        to destinationURL: URL, options: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws -> NSPersistentStore {
        throw CoreDataError(
            NSExternalRecordImportError, "External records are not read here.",
            remedy: "Copy the store itself, with replacePersistentStore."
        ).cocoa
    }

    /// Deletes a store; nothing of it is in iCloud here.
    ///
    /// - Throws: what `destroyPersistentStore` throws.
    @available(*, deprecated, message: "Use destroyPersistentStore(at:type:options:).")
    public class func removeUbiquitousContentAndPersistentStore(
        at storeURL: URL, options: [AnyHashable: Any]? = nil
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        try coordinator.destroyPersistentStore(at: storeURL, type: .sqlite, options: options)
    }
}
