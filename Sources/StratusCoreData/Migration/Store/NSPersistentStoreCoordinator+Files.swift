internal import SQLiteAccess

extension NSPersistentStoreCoordinator {
    // MARK: Metadata

    /// What a store knows about itself, read without opening it.
    ///
    /// - Throws: `CocoaError` with code 134080 where there is no store.
    public class func metadataForPersistentStore(
        type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        if let own = ownClass(of: type) { return try own.metadataForPersistentStore(with: url) }
        try requireFile(type)
        return try StoreContents.read(url) { contents, _ in contents.metadata }
    }

    /// What a store knows about itself; the older spelling.
    ///
    /// - Throws: what the newer spelling throws.
    public class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(type: .init(rawValue: storeType), at: url, options: options)
    }

    /// Changes what a store knows about itself. What names its identity, type and model stays as it is.
    ///
    /// - Throws: `CocoaError`: 134080 where there is no store, 134030 for a value that a property list cannot hold.
    public class func setMetadata(
        _ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        if let own = ownClass(of: type) { return try own.setMetadata(metadata, forPersistentStoreAt: url) }
        try requireFile(type)
        guard StoreFiles.exists(url) else {
            throw CoreDataError(134080, "There is no store at \(url.path).", remedy: "Check the address.")
                .cocoa
        }
        let settings = try StoreSettings(options, isReadOnly: false, isInMemory: false)
        let connection = try SQLiteConnection(path: url.path, settings: settings, isReader: true)
        defer { connection.close() }
        let kept = try StoreContents(connection, url: url).metadata.filter { StoreMetadata.isOwn($0.key) }
        let identifier = kept[NSStoreUUIDKey] as? String ?? UUID().uuidString
        let merged = (metadata ?? [:]).merging(kept) { $1 }
        try connection.transaction { try StoredState.write(merged, identifier: identifier, connection) }
    }

    /// Changes what a store knows about itself; the older spelling.
    ///
    /// - Throws: what the newer spelling throws.
    public class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(metadata, type: .init(rawValue: storeType), at: url, options: options)
    }

    /// The class of a type that the app registered.
    private class func ownClass(of type: NSPersistentStore.StoreType) -> NSPersistentStore.Type? {
        guard let own = registeredStoreTypes[type.rawValue], own != SQLiteStore.self else { return nil }
        return own
    }

    private class func requireFile(_ type: NSPersistentStore.StoreType) throws {
        guard type == .sqlite else {
            throw CoreDataError(
                134000, "Only stores of the type 'SQLite' are files here, not '\(type.rawValue)'."
            ).cocoa
        }
    }

    // MARK: Files

    /// Moves a store to another address: copies it, opens the copy, and takes the first away from the coordinator.
    ///
    /// The first store's files stay where they are, as on Apple's platforms. A store in memory becomes a file by it.
    /// - Throws: `CocoaError`: 134160 where there is a store at the address already, 134000 for another type.
    @discardableResult
    public func migratePersistentStore(
        _ store: NSPersistentStore, to url: URL, options: [AnyHashable: Any]? = nil,
        type: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try performAndWait {
            guard let sqlite = store as? SQLiteStore, type == .sqlite else {
                throw CoreDataError(
                    134000,
                    "A store of the type '\(store.type)' cannot be made one of the type '\(type.rawValue)'.",
                    remedy: "Use NSMigrationManager, or read the objects and save them in the other store."
                ).cocoa
            }
            try sqlite.copyFiles(to: url)
            do {
                let configuration = store.configurationName
                let isDefault = configuration == "PF_DEFAULT_CONFIGURATION_NAME"
                try remove(store)
                return try addPersistentStore(
                    type: type, configuration: isDefault ? nil : configuration, at: url,
                    options: options ?? store.options)
            } catch {
                try? StoreFiles.remove(url)
                throw error
            }
        }
    }

    /// Moves a store to another address; the older spelling.
    ///
    /// - Throws: what the newer spelling throws.
    @discardableResult
    public func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil,
        withType storeType: String
    ) throws -> NSPersistentStore {
        try migratePersistentStore(store, to: URL, options: options, type: .init(rawValue: storeType))
    }

    /// Puts a copy of one store in another's place.
    ///
    /// The copy is made beside the other store and renamed over it, so that one of them is there whole at every moment.
    /// - Throws: `CocoaError`: 134080 where there is no store to copy, 134090 where the other one is in use.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL,
        sourceOptions: [AnyHashable: Any]? = nil, type: NSPersistentStore.StoreType
    ) throws {
        try Self.requireFile(type)
        if persistentStores.contains(where: {
            $0.url?.standardizedFileURL == destinationURL.standardizedFileURL
        }) {
            throw CoreDataError(
                134090, "The store at \(destinationURL.path) is open in this coordinator.",
                remedy: "Remove it first."
            ).cocoa
        }
        guard StoreFiles.exists(destinationURL) else {
            return try StoreFiles.copy(sourceURL, to: destinationURL)
        }
        let copy = StoreCopy(destinationURL)
        try? FileManager.default.removeItem(at: StoreFiles.supportFolder(copy.copyURL))
        defer { try? FileManager.default.removeItem(at: StoreFiles.supportFolder(copy.copyURL)) }
        try copy.replaceFile { _ in
            try StoreFiles.copy(sourceURL, to: copy.copyURL)
            try StoreFiles.copyFiles(copy.copyURL, to: copy.url)
        }
    }

    /// Puts a copy of one store in another's place; the older spelling.
    ///
    /// - Throws: what the newer spelling throws.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL,
        sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, type: .init(rawValue: storeType))
    }

    /// Removes all that is in a store: its database, its logs, and its large values.
    ///
    /// An empty file stays, as on Apple's systems, where apps and tests remove it themselves afterwards
    /// (https://github.com/alemar11/CoreDataPlus does); adding a store there makes a new one. A file that is no store is
    /// destroyed only with ``NSPersistentStoreForceDestroyOption``. Where there is nothing, nothing happens.
    /// - Throws: `CocoaError`: 134090 where it is open in this coordinator, 134080 where the file is no store.
    public func destroyPersistentStore(
        at url: URL, type: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws {
        guard type == .sqlite, url.path != "/dev/null" else { return }
        if persistentStores.contains(where: { $0.url?.standardizedFileURL == url.standardizedFileURL }) {
            throw CoreDataError(
                134090, "The store at \(url.path) is open in this coordinator.", remedy: "Remove it first."
            ).cocoa
        }
        let isForced = (options?[NSPersistentStoreForceDestroyOption] as? NSNumber)?.boolValue ?? false
        guard FileManager.default.fileExists(atPath: url.path) else { return try StoreFiles.remove(url) }
        if !isForced, StoreFiles.exists(url) {
            _ = try StoreContents.read(url) { contents, _ in contents.metadata }
        }
        try StoreFiles.empty(url)
    }

    /// Removes all that is in a store; the older spelling.
    ///
    /// - Throws: what the newer spelling throws.
    public func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, type: .init(rawValue: storeType), options: options)
    }
}

extension StoreMetadata {
    /// Whether a key names the identity or the model of a store, which apps do not change.
    static func isOwn(_ key: String) -> Bool {
        [NSStoreTypeKey, NSStoreUUIDKey, writerKey, ownHashesKey, NSStoreModelVersionIdentifiersKey].contains(
            key)
            || key.hasPrefix("NSStoreModelVersion") || key.hasPrefix("NSPersistence") || key.hasPrefix("_NS")
    }
}

extension SQLiteStore {
    /// Copies the open store, as it is now, to another address.
    func copyFiles(to destination: URL) throws {
        guard !StoreFiles.exists(destination) else {
            throw CoreDataError(
                134160, "There is a file at \(destination.path) already.",
                remedy: "Choose another address, or remove it."
            ).cocoa
        }
        if metadataIsDirty, !isReadOnly { try saveMetadata() }
        var settings = try StoreSettings(nil, isReadOnly: false, isInMemory: false)
        settings.pragmas = ["journal_mode": "delete"]
        let target = try SQLiteConnection(path: destination.path, settings: settings)
        defer { target.close() }
        try opened().connection.backUp(to: target) { _ in }
        try StoredState.settle(type: NSSQLiteStoreType, target)
        if !isInMemory, let url { try StoreFiles.copyFiles(url, to: destination) }
    }
}

extension StoredState {
    /// Writes which type a store is of.
    static func settle(type: String, _ connection: SQLiteConnection) throws {
        guard var metadata = try metadata(connection), metadata[NSStoreTypeKey] as? String != type else {
            return
        }
        metadata[NSStoreTypeKey] = type
        let identifier = metadata[NSStoreUUIDKey] as? String ?? UUID().uuidString
        try connection.transaction { try write(metadata, identifier: identifier, connection) }
    }
}
