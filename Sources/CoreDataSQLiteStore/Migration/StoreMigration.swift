internal import SQLiteAccess
internal import StratusCoreData

/// A lightweight migration of a SQLite store, through one model or several.
struct StoreMigration {
    let url: URL
    /// The configuration that the store is added with.
    let configuration: String?
    /// The models on the way: that of the store first, the wanted one last.
    let models: [NSManagedObjectModel]
    /// Other versions, which have the names in between.
    let versions: [NSManagedObjectModel]
    var keepsOld = false
    var progress: (MigrationProgress) throws -> Void = { _ in }

    /// Migrates the file; see ``MigratingCopy``.
    ///
    /// - Throws: `CocoaError`; the store is then as it was.
    func run() throws {
        var copy = MigratingCopy(url)
        copy.progress = progress
        if keepsOld { copy.kept = MigratingCopy.keptURL(copy.url) }
        try copy.replace { try run(on: $0) }
    }

    /// Migrates a copy, within a transaction.
    func run(on connection: SQLiteConnection) throws {
        let steps = Array(zip(models, models.dropFirst()))
        for (index, (source, destination)) in steps.enumerated() {
            try migrate(
                connection, source, destination, part: Double(index)..<Double(index + 1),
                of: Double(steps.count))
        }
    }

    private func migrate(
        _ connection: SQLiteConnection, _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel,
        part: Range<Double>, of count: Double
    ) throws {
        let match = ModelCorrespondence(source: source, destination: destination, versions: versions)
        let contents = try StoreContents(connection, url: url)
        let obstacles = try match.obstacles(contents, connection, configuration: configuration)
        guard obstacles.isEmpty else { throw CoreDataError.notInferable(obstacles).cocoa }
        let rewrite = try Self.rewrite(match, contents, configuration)
        let total = Double(rewrite.shaping.count + rewrite.moving.count + rewrite.dropping.count + 1)
        var done = 0.0
        try rewrite.run(connection, files: ExternalFiles(store: url)) { statement in
            let share = (part.lowerBound + min(1, done / total)) / count
            done += 1
            try progress(MigrationProgress(fraction: 0.3 + 0.6 * share, step: String(statement.prefix(100))))
        }
        try writeState(connection, contents, destination)
    }

    static func rewrite(_ match: ModelCorrespondence, _ contents: StoreContents, _ configuration: String?)
        throws
        -> StoreRewrite
    {
        do {
            let old = try LayoutBuilder.layout(
                match.source, configuration: contents.configuration(configuration, in: match.source),
                schema: contents.schema)
            if old.hasBytes { old.takeForms(of: contents.model) }
            let new = try LayoutBuilder.layout(match.destination, configuration: configuration)
            return try StoreRewrite(match, old: old, new: new, schema: contents.schema)
        } catch let error as LayoutMismatch {
            throw CoreDataError(
                134110, "The tables of the store are not those of its model. \(error.sentence)",
                remedy: "The store was changed by another tool, or its model is not the one that it carries."
            ).cocoa
        }
    }

    /// Writes which model the store is of now, and checks whether its tables are that model's.
    private func writeState(
        _ connection: SQLiteConnection, _ contents: StoreContents, _ destination: NSManagedObjectModel
    ) throws {
        var metadata = contents.metadata
        metadata.merge(StoreMetadata.versions(destination, configuration: configuration)) { _, new in new }
        metadata[StoreMetadata.writerKey] = 1
        let identifier = metadata[NSStoreUUIDKey] as? String ?? UUID().uuidString
        try StoredState.write(metadata, identifier: identifier, connection)
        try connection.execute("CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB)")
        try connection.execute("DELETE FROM Z_MODELCACHE")
        if let cache = ModelCache.write(destination) {
            try connection.run("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", [.blob(cache)])
        }
        let schema = try StoredState.schema(connection)
        do {
            _ = try LayoutBuilder.layout(destination, configuration: configuration, schema: schema)
        } catch let error as LayoutMismatch {
            throw CoreDataError(
                134110,
                "The migrated store does not fit the new model, so the store was left as it was. \(error.sentence)"
            ).cocoa
        }
    }
}
