extension NSPersistentStoreCoordinator {
    // What the open methods of the class do with the files of stores; they say what is guaranteed and thrown.

    // MARK: Metadata

    class func readMetadata(_ type: NSPersistentStore.StoreType, _ url: URL) throws -> [String: Any] {
        if let own = ownClass(of: type) { return try own.metadataForPersistentStore(with: url) }
        return try files(of: type).readMetadata(at: url)
    }

    class func writeMetadata(
        _ metadata: [String: Any]?, _ type: NSPersistentStore.StoreType, _ url: URL,
        _ options: [AnyHashable: Any]?
    ) throws {
        if let own = ownClass(of: type) { return try own.setMetadata(metadata, forPersistentStoreAt: url) }
        try files(of: type).writeMetadata(metadata ?? [:], at: url, options: options)
    }

    /// The class of a type that the app registered.
    private class func ownClass(of type: NSPersistentStore.StoreType) -> NSPersistentStore.Type? {
        guard let own = registeredStoreTypes[type.rawValue], !(own is any FileStore.Type) else { return nil }
        return own
    }

    /// The kind of store that a type's files are of.
    private class func files(of type: NSPersistentStore.StoreType) throws -> any FileStore.Type {
        guard type == .sqlite else {
            throw CoreDataError(
                134000, "Only stores of the type 'SQLite' are files here, not '\(type.rawValue)'."
            ).cocoa
        }
        return try SQLiteStoreClass.required()
    }

    // MARK: Files

    func move(
        _ store: NSPersistentStore, to url: URL, _ options: [AnyHashable: Any]?,
        _ type: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try runAndWait {
            guard let file = store as? any FileStore, type == .sqlite else {
                throw CoreDataError(
                    134000,
                    "A store of the type '\(store.type)' cannot be made one of the type '\(type.rawValue)'.",
                    remedy: "Use NSMigrationManager, or read the objects and save them in the other store."
                ).cocoa
            }
            try file.copyFiles(to: url)
            do {
                let configuration = store.configurationName
                let isDefault = configuration == "PF_DEFAULT_CONFIGURATION_NAME"
                try remove(store)
                return try addPersistentStore(
                    type: type, configuration: isDefault ? nil : configuration, at: url,
                    options: options ?? store.options)
            } catch {
                // Why the store could not be moved is worth more than that the copy stays.
                try? Swift.type(of: file).removeFiles(at: url)
                throw error
            }
        }
    }

    func replace(
        _ destinationURL: URL, from sourceURL: URL, _ type: NSPersistentStore.StoreType
    ) throws {
        let files = try Self.files(of: type)
        try requireClosed(destinationURL)
        try files.replaceFiles(at: destinationURL, from: sourceURL)
    }

    func destroy(
        _ url: URL, _ type: NSPersistentStore.StoreType, _ options: [AnyHashable: Any]?
    ) throws {
        // A store in memory is gone once it is removed.
        guard type == .sqlite else { return }
        try requireClosed(url)
        let isForced = (options?[NSPersistentStoreForceDestroyOption] as? NSNumber)?.boolValue ?? false
        try SQLiteStoreClass.required().destroyFiles(at: url, isForced: isForced)
    }

    private func requireClosed(_ url: URL) throws {
        let place = url.resolvingSymlinksInPath()
        guard !url.isNullDevice,
            persistentStores.contains(where: { $0.url?.resolvingSymlinksInPath() == place })
        else { return }
        throw CoreDataError(
            134090, "The store at \(url.path) is open in this coordinator.", remedy: "Remove it first."
        ).cocoa
    }
}
