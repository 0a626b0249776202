internal import StratusCoreData

/// Does the stages of a staged migration that a store still needs.
struct StagedMigration {
    let manager: NSStagedMigrationManager
    let url: URL
    let configuration: String?
    let options: [AnyHashable: Any]
    let versions: [NSManagedObjectModel]

    func run(_ plan: StagedPlan) throws {
        for step in plan.steps {
            if let custom = step.custom, custom.willMigrateHandler != nil || custom.didMigrateHandler != nil {
                try run(custom, step)
            } else {
                try StoreMigration(
                    url: url, configuration: configuration, models: [step.source, step.destination],
                    versions: versions
                ).run()
            }
        }
    }

    /// Does a stage with code of the app's on a copy of the whole store, files included.
    private func run(_ stage: NSCustomMigrationStage, _ step: StagedStep) throws {
        let copy = MigratingCopy(url)
        let copyURL = copy.copyURL
        // Where a file stays, it is one of a value that no row names.
        try? ExternalFiles(store: copyURL).removeAll()
        // The next migration removes what stays.
        defer { try? ExternalFiles(store: copyURL).removeAll() }
        try copy.replaceFile { source in
            try copy.copy(source)
            try StoreFiles.copyFiles(copy.url, to: copyURL)
            try withContainer(step.source, copyURL) { try stage.willMigrateHandler?(manager, stage) }
            let migration = StoreMigration(
                url: copyURL, configuration: configuration, models: [step.source, step.destination],
                versions: versions)
            try copy.changeCopy { try migration.run(on: $0) }
            try withContainer(step.destination, copyURL) { try stage.didMigrateHandler?(manager, stage) }
            try copy.changeCopy { _ in }
            // Large values that the handlers made. Those that they removed go when the store is swept.
            try StoreFiles.copyFiles(copyURL, to: copy.url)
        }
    }

    private func withContainer(_ model: NSManagedObjectModel, _ url: URL, _ body: () throws -> Void) throws {
        let container = NSPersistentContainer(
            name: url.deletingPathExtension().lastPathComponent, managedObjectModel: model)
        var options = options
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
        options[NSReadOnlyPersistentStoreOption] = nil
        try container.persistentStoreCoordinator.addPersistentStore(
            type: .sqlite, configuration: configuration, at: url, options: options)
        manager.container = container
        defer {
            manager.container = nil
            for store in container.persistentStoreCoordinator.persistentStores {
                // The file is what counts, and it is closed with its coordinator at the latest.
                try? container.persistentStoreCoordinator.remove(store)
            }
        }
        try body()
    }
}
