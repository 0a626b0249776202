internal import SQLiteAccess
internal import StratusCoreData

/// The migration of a store before it is opened.
struct AutomaticMigration {
    private let request: MigrationRequest
    private var url: URL { request.url }
    private var model: NSManagedObjectModel { request.model }
    private var configuration: String? { request.configuration }
    private var versions: [NSManagedObjectModel] { request.versions }

    init(_ request: MigrationRequest) { self.request = request }

    /// Whether the model is not the one that wrote the store; false for an empty file, which becomes a store.
    func isNeeded() throws -> Bool {
        // Where it cannot be looked at, opening it below says why.
        let size = (try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? NSNumber
        guard size?.intValue != 0 else { return false }
        return try StoreContents.read(url) { contents, connection in
            try MigrationDecision.isNeeded(
                contents, connection, url: url, model: model, configuration: configuration)
        }
    }

    func run() throws {
        let lock = try MigrationLock(url.resolvingSymlinksInPath().deletingLastPathComponent().path)
        try withExtendedLifetime(lock) {
            // Another process may have done it meanwhile.
            guard try isNeeded() else { return }
            if let staged = request.staged { return try run(staged) }
            let decision = try StoreContents.read(url) { contents, connection in
                try MigrationDecision.of(
                    contents, connection, url: url, model: model, configuration: configuration,
                    versions: versions,
                    infers: request.infers)
            }
            switch decision {
            case .notNeeded: return
            case .impossible(let obstacles, _): throw CoreDataError.notInferable(obstacles).cocoa
            case .mapping(let mapping, let source): try run(mapping, source)
            case .lightweight(let models):
                var migration = StoreMigration(
                    url: url, configuration: configuration, models: models, versions: versions)
                migration.keepsOld = request.keepsOld
                migration.progress = request.progress
                try migration.run()
            }
        }
    }

    private func run(_ manager: NSStagedMigrationManager) throws {
        let source = try StoreContents.read(url) { contents, _ in
            try contents.sourceModel(versions + [model], configuration: configuration)
        }
        let plan = try StagedPlan(manager, from: source, to: model, models: versions)
        try StagedMigration(
            manager: manager, url: url, configuration: configuration, options: request.options,
            versions: versions
        ).run(plan)
    }

    /// Makes the new store beside the old one, object by object, and puts it in its place.
    private func run(_ mapping: NSMappingModel, _ source: NSManagedObjectModel) throws {
        var copy = MigratingCopy(url)
        copy.progress = request.progress
        if request.keepsOld { copy.kept = MigratingCopy.keptURL(copy.url) }
        let target = copy.copyURL
        // Its source is read by a coordinator of its own, so it is a copy too.
        let older = copy.url.appendingPathExtension("migrating-from")
        try StoreFiles.removeOwn(older.path)
        try StoreFiles.remove(older)
        defer {
            // The next migration removes what stays.
            try? StoreFiles.remove(older)
            // This one as well.
            try? ExternalFiles(store: target).removeAll()
        }
        try copy.replaceFile { connection in
            try copy.copy(connection)
            let identity = try StoredState.metadata(connection) ?? [:]
            try RegularFile.rename(target.path, to: older.path)
            try StoreFiles.copyFiles(copy.url, to: older)
            try NSMigrationManager(sourceModel: source, destinationModel: model).migrateStore(
                from: older, type: .sqlite, mapping: mapping, to: target, type: .sqlite)
            try copy.changeCopy { try keepIdentity(identity, $0) }
            try StoreFiles.copyFiles(target, to: copy.url)
        }
    }

    /// The store stays the same one for the app: its identifier, and what the app put into its metadata.
    private func keepIdentity(_ metadata: [String: Any], _ connection: SQLiteConnection) throws {
        let own = try StoredState.metadata(connection) ?? [:]
        let merged = metadata.merging(own) { $1 }
        try StoredState.write(
            merged,
            identifier: metadata[NSStoreUUIDKey] as? String ?? own[NSStoreUUIDKey] as? String
                ?? UUID().uuidString,
            connection)
    }
}
