internal import SQLiteAccess
internal import StratusCoreData

extension SQLiteObjectStore: FileStore {
    var fileState: String? { StoreFileState.read(self) }

    func copyFiles(to destination: URL) throws {
        try StoreFiles.requireFree(destination)
        if metadataIsDirty, !isReadOnly { try saveMetadata() }
        var settings = try StoreSettings(nil, isReadOnly: false, isInMemory: false)
        settings.pragmas = ["journal_mode": "delete"]
        let target = try SQLiteConnection(path: destination.path, settings: settings)
        defer { target.close() }
        try opened().connection.backUp(to: target) { _ in }
        try StoredState.settle(type: NSSQLiteStoreType, target)
        if !isInMemory, let url { try StoreFiles.copyFiles(url, to: destination) }
    }

    static func hasContent(at url: URL) -> Bool { StoreFiles.exists(url) }

    static func readMetadata(at url: URL) throws -> [String: Any] {
        try StoreContents.read(url) { contents, _ in contents.metadata }
    }

    static func writeMetadata(
        _ metadata: [String: Any], at url: URL, options: [AnyHashable: Any]?
    ) throws {
        guard StoreFiles.exists(url) else {
            throw CoreDataError(134080, "There is no store at \(url.path).", remedy: "Check the address.")
                .cocoa
        }
        let settings = try StoreSettings(options, isReadOnly: false, isInMemory: false)
        let connection = try SQLiteConnection(path: url.path, settings: settings, isReader: true)
        defer { connection.close() }
        let kept = try StoreContents(connection, url: url).metadata.filter { StoreMetadata.isOwn($0.key) }
        let identifier = kept[NSStoreUUIDKey] as? String ?? UUID().uuidString
        let merged = metadata.merging(kept) { $1 }
        try connection.transaction { try StoredState.write(merged, identifier: identifier, connection) }
    }

    static func replaceFiles(at destination: URL, from source: URL) throws {
        try StoreFiles.requireFile(destination)
        guard StoreFiles.exists(destination) else {
            return try StoreFiles.copy(source, to: destination)
        }
        let copy = MigratingCopy(destination)
        // What an interrupted one left; where a file stays, it is one of a value that no row names.
        try? ExternalFiles(store: copy.copyURL).removeAll()
        // The next one removes what stays.
        defer { try? ExternalFiles(store: copy.copyURL).removeAll() }
        try copy.replaceFile { _ in
            try StoreFiles.copy(source, to: copy.copyURL)
            try StoreFiles.copyFiles(copy.copyURL, to: copy.url)
        }
    }

    static func destroyFiles(at url: URL, isForced: Bool) throws {
        let place = try StoreFiles.requireFile(url)
        guard RegularFile.kind(place.path) != .nothing else { return try StoreFiles.remove(place) }
        if !isForced, StoreFiles.exists(place) { _ = try readMetadata(at: place) }
        try StoreFiles.empty(place)
    }

    static func removeFiles(at url: URL) throws { try StoreFiles.remove(url) }

    // MARK: Migration

    static func needsMigration(_ migration: MigrationRequest) throws -> Bool {
        try AutomaticMigration(migration).isNeeded()
    }

    static func writer(
        of migration: MigrationRequest
    ) throws -> (metadata: [String: Any], model: NSManagedObjectModel?) {
        try StoreContents.read(migration.url) { contents, _ in
            let model = try? contents.sourceModel(
                migration.versions, configuration: migration.configuration)
            return (contents.metadata, model)
        }
    }

    static func plan(_ migration: MigrationRequest) throws -> MigrationPlan {
        try MigrationPlanner(
            url: migration.url, model: migration.model, configuration: migration.configuration,
            versions: migration.versions
        ).plan()
    }

    static func migrate(_ migration: MigrationRequest) throws { try AutomaticMigration(migration).run() }

    static func copyMigrating(
        from source: URL, to destination: URL, models: [NSManagedObjectModel],
        versions: [NSManagedObjectModel], progress: @escaping (MigrationProgress) throws -> Void
    ) throws {
        try StoreFiles.copy(source, to: destination)
        do {
            var migration = StoreMigration(
                url: destination, configuration: nil, models: models, versions: versions)
            migration.progress = progress
            try migration.run()
        } catch {
            // Why the migration failed is worth more than that its beginning stays.
            try? StoreFiles.remove(destination)
            throw error
        }
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
