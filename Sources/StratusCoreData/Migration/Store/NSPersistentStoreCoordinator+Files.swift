internal import SQLiteAccess

extension NSPersistentStoreCoordinator {
    // What the open methods of the class do with the files of stores; they say what is guaranteed and thrown.

    // MARK: Metadata

    class func readMetadata(_ type: NSPersistentStore.StoreType, _ url: URL) throws -> [String: Any] {
        if let own = ownClass(of: type) { return try own.metadataForPersistentStore(with: url) }
        try requireFile(type)
        return try StoreContents.read(url) { contents, _ in contents.metadata }
    }

    class func writeMetadata(
        _ metadata: [String: Any]?, _ type: NSPersistentStore.StoreType, _ url: URL,
        _ options: [AnyHashable: Any]?
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

    func move(
        _ store: NSPersistentStore, to url: URL, _ options: [AnyHashable: Any]?,
        _ type: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try runAndWait {
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

    func replace(
        _ destinationURL: URL, from sourceURL: URL, _ type: NSPersistentStore.StoreType
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

    func destroy(
        _ url: URL, _ type: NSPersistentStore.StoreType, _ options: [AnyHashable: Any]?
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
