internal import SQLiteAccess

extension NSPersistentStoreCoordinator {
    /// What would happen if a store were added with migration on: nothing is changed.
    ///
    /// - Throws: `CocoaError`: 134080 where there is no store, 134130 where the model that wrote it is not known.
    public func migrationPlan(forStoreAt url: URL, configuration: String? = nil) throws -> MigrationPlan {
        try Self.migrationPlan(forStoreAt: url, to: managedObjectModel, configuration: configuration)
    }

    /// What would happen if a store were migrated to a model: nothing is changed.
    ///
    /// - Parameters:
    ///   - url: the store's file.
    ///   - model: the model that it would be migrated to.
    ///   - configuration: the part of the model that the store keeps; nil for all of it.
    ///   - versions: further versions that may lie on the way; those that the program can find are known.
    /// - Throws: `CocoaError`: 134080 where there is no store, 134130 where the model that wrote it is not known.
    public static func migrationPlan(
        forStoreAt url: URL, to model: NSManagedObjectModel, configuration: String? = nil,
        versions: [NSManagedObjectModel] = []
    ) throws -> MigrationPlan {
        model.freezeForUse()
        return try MigrationPlanner(
            url: url, model: model, configuration: configuration, versions: versions + MigrationModels.all()
        ).plan()
    }

    /// Migrates a store to a model in place.
    ///
    /// The work is done on a copy that takes the store's place, in one step, when it was found whole: whatever
    /// happens, the older store or the newer one is there.
    /// - Parameters:
    ///   - url: the store's file.
    ///   - model: the model that it is migrated to.
    ///   - configuration: the part of the model that the store keeps; nil for all of it.
    ///   - versions: further versions that may lie on the way; those that the program can find are known.
    ///   - keepsOldStore: whether the older store stays as `<name>.before-migration`.
    ///   - progress: called now and then, may throw to stop; the store is then as it was.
    /// - Returns: what was done.
    /// - Throws: `CocoaError`: 134080 where there is no store, 134090 where it is in use, 134110 where a check fails,
    ///   134111 where objects break a new uniqueness constraint, 134130 where the store's model is not known, 134190 with
    ///   all obstacles where the mapping cannot be inferred.
    @discardableResult
    public static func migrateStore(
        at url: URL, to model: NSManagedObjectModel, configuration: String? = nil,
        versions: [NSManagedObjectModel] = [],
        keepsOldStore: Bool = false, progress: @escaping (MigrationProgress) throws -> Void = { _ in }
    ) throws -> MigrationPlan {
        let versions = versions + MigrationModels.all()
        model.freezeForUse()
        var automatic = AutomaticMigration(
            url: url, model: model, configuration: configuration, versions: versions)
        automatic.keepsOld = keepsOldStore
        automatic.progress = progress
        let plan = try MigrationPlanner(
            url: url, model: model, configuration: configuration, versions: versions
        ).plan()
        try automatic.run()
        return plan
    }

    /// Brings a store to the model before it is opened, where the options ask for it.
    func migrateIfNeeded(
        _ storeClass: NSPersistentStore.Type, configuration: String?, at url: URL, options: [AnyHashable: Any]
    ) throws {
        func flag(_ key: String) -> Bool {
            (options[key] as? NSNumber)?.boolValue ?? (options[key] as? Bool) ?? false
        }
        guard storeClass == SQLiteStore.self, options[StoreTypeOption.key] as? String == NSSQLiteStoreType,
            url.path != "/dev/null", StoreFiles.exists(url), !flag(NSIgnorePersistentStoreVersioningOption)
        else { return }
        var migration = AutomaticMigration(
            url: url, model: managedObjectModel, configuration: configuration, versions: [])
        guard try migration.isNeeded() else { return }
        migration.versions = MigrationModels.all()
        let staged = options[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager
        guard flag(NSMigratePersistentStoresAutomaticallyOption) || staged != nil,
            !flag(NSReadOnlyPersistentStoreOption)
        else {
            throw migration.mismatch(isReadOnly: flag(NSReadOnlyPersistentStoreOption))
        }
        migration.infers = flag(NSInferMappingModelAutomaticallyOption)
        migration.staged = staged
        migration.options = options
        try migration.run()
    }
}

/// The migration of a store before it is opened.
struct AutomaticMigration {
    let url: URL
    let model: NSManagedObjectModel
    let configuration: String?
    var versions: [NSManagedObjectModel]
    var infers = true
    var keepsOld = false
    var staged: NSStagedMigrationManager?
    var options: [AnyHashable: Any] = [:]
    var progress: (MigrationProgress) throws -> Void = { _ in }

    /// Whether the model is not the one that wrote the store; false for an empty file, which becomes a store.
    func isNeeded() throws -> Bool {
        let size = (try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? NSNumber
        guard size?.intValue != 0 else { return false }
        return try StoreContents.read(url) { contents, connection in
            try MigrationDecision.isNeeded(
                contents, connection, url: url, model: model, configuration: configuration)
        }
    }

    func run() throws {
        let lock = try FolderLock(url.resolvingSymlinksInPath().deletingLastPathComponent().path)
        try withExtendedLifetime(lock) {
            // Another process may have done it meanwhile.
            guard try isNeeded() else { return }
            if let staged { return try run(staged) }
            let decision = try StoreContents.read(url) { contents, connection in
                try MigrationDecision.of(
                    contents, connection, url: url, model: model, configuration: configuration,
                    versions: versions,
                    infers: infers)
            }
            switch decision {
            case .notNeeded: return
            case .impossible(let obstacles, _): throw CoreDataError.notInferable(obstacles).cocoa
            case .mapping(let mapping, let source): try run(mapping, source)
            case .lightweight(let models):
                var migration = StoreMigration(
                    url: url, configuration: configuration, models: models, versions: versions)
                migration.keepsOld = keepsOld
                migration.progress = progress
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
            manager: manager, url: url, configuration: configuration, options: options, versions: versions
        ).run(plan)
    }

    /// Makes the new store beside the old one, object by object, and puts it in its place.
    private func run(_ mapping: NSMappingModel, _ source: NSManagedObjectModel) throws {
        var copy = StoreCopy(url)
        copy.progress = progress
        if keepsOld { copy.kept = StoreCopy.keptURL(copy.url) }
        let target = copy.copyURL
        // Its source is read by a coordinator of its own, so it is a copy too.
        let older = copy.url.appendingPathExtension("migrating-from")
        try? StoreFiles.remove(older)
        defer {
            try? StoreFiles.remove(older)
            try? FileManager.default.removeItem(at: StoreFiles.supportFolder(target))
        }
        try copy.replaceFile { connection in
            try copy.copy(connection)
            let identity = try StoredState.metadata(connection) ?? [:]
            try FileManager.default.moveItem(at: target, to: older)
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

    /// The error for a store of another version that may not be migrated, with all differences.
    func mismatch(isReadOnly: Bool) -> CocoaError {
        let found = try? StoreContents.read(url) { contents, _ in
            (contents.metadata, try? contents.sourceModel(versions, configuration: configuration))
        }
        var lines: [String] = []
        if let source = found?.1 {
            let match = ModelMatch(source: source, destination: model, versions: versions)
            lines = ModelDifference(match: match).steps.map { step in
                "  \(step.entity)\(step.property.map { "." + $0 } ?? ""): \(step.detail)"
            }
        }
        let remedy =
            isReadOnly
            ? "Open it once without NSReadOnlyPersistentStoreOption, so that it can be migrated."
            : "Set NSMigratePersistentStoresAutomaticallyOption and NSInferMappingModelAutomaticallyOption, or open it with the "
                + "model that wrote it."
        return CoreDataError(
            134100,
            "The model used to open the store at \(url.path) is not the one that wrote it."
                + (lines.isEmpty
                    ? "" : " The model differs from the store:\n" + lines.joined(separator: "\n")),
            remedy: remedy, userInfo: ["metadata": found?.0 ?? [:], "reason": lines.joined(separator: "\n")]
        ).cocoa
    }
}
