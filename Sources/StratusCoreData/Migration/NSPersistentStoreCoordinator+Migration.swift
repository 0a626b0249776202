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
        return try SQLiteStoreClass.required().plan(
            MigrationRequest(
                url: url, model: model, configuration: configuration,
                versions: versions + MigrationModels.all()))
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
        model.freezeForUse()
        let store = try SQLiteStoreClass.required()
        var migration = MigrationRequest(
            url: url, model: model, configuration: configuration, versions: versions + MigrationModels.all())
        migration.keepsOld = keepsOldStore
        migration.progress = progress
        let plan = try store.plan(migration)
        try store.migrate(migration)
        return plan
    }

    /// Brings a store to the model before it is opened, where the options ask for it.
    func migrateIfNeeded(
        _ storeClass: NSPersistentStore.Type, configuration: String?, at url: URL, options: [AnyHashable: Any]
    ) throws {
        func flag(_ key: String) -> Bool {
            (options[key] as? NSNumber)?.boolValue ?? (options[key] as? Bool) ?? false
        }
        guard let files = storeClass as? any FileStore.Type,
            options[StoreTypeOption.key] as? String == NSSQLiteStoreType, !url.isNullDevice,
            files.hasContent(at: url), !flag(NSIgnorePersistentStoreVersioningOption)
        else { return }
        var migration = MigrationRequest(url: url, model: managedObjectModel, configuration: configuration)
        guard try files.needsMigration(migration) else { return }
        migration.versions = MigrationModels.all()
        let staged = options[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager
        guard flag(NSMigratePersistentStoresAutomaticallyOption) || staged != nil,
            !flag(NSReadOnlyPersistentStoreOption)
        else {
            throw migration.mismatch(
                // Who wrote it is a word in the error; the error is thrown without it, too.
                try? files.writer(of: migration), isReadOnly: flag(NSReadOnlyPersistentStoreOption))
        }
        migration.infers = flag(NSInferMappingModelAutomaticallyOption)
        migration.staged = staged
        migration.options = options
        try files.migrate(migration)
    }
}

extension MigrationRequest {
    /// The error for a store of another version that may not be migrated, with all differences.
    ///
    /// - Parameter writer: what the store says about itself, and the model that wrote it.
    fileprivate func mismatch(
        _ writer: (metadata: [String: Any], model: NSManagedObjectModel?)?, isReadOnly: Bool
    ) -> CocoaError {
        var lines: [String] = []
        if let source = writer?.model {
            let match = ModelCorrespondence(source: source, destination: model, versions: versions)
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
            remedy: remedy,
            userInfo: ["metadata": writer?.metadata ?? [:], "reason": lines.joined(separator: "\n")]
        ).cocoa
    }
}
