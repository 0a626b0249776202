internal import SQLiteAccess
internal import StratusCoreData

/// What has to happen to a store before a model can open it.
enum MigrationDecision {
    case notNeeded
    /// Lightweight migration through these models: that of the store first, the wanted one last.
    case lightweight([NSManagedObjectModel])
    /// A mapping model that was made in code or read from a file.
    case mapping(NSMappingModel, source: NSManagedObjectModel)
    /// Nothing leads to the model.
    case impossible([MigrationObstacle], source: NSManagedObjectModel)

    /// - Throws: `CocoaError` with code 134130 where the store's model is not known.
    static func of(
        _ contents: StoreContents, _ connection: SQLiteConnection, url: URL, model: NSManagedObjectModel,
        configuration: String?, versions: [NSManagedObjectModel], infers: Bool = true
    ) throws -> MigrationDecision {
        guard try isNeeded(contents, connection, url: url, model: model, configuration: configuration) else {
            return .notNeeded
        }
        let source = try contents.sourceModel(versions + [model], configuration: configuration)
        if let mapping = NSMappingModel.known(from: source, to: model) {
            return .mapping(mapping, source: source)
        }
        guard infers else {
            throw CoreDataError(
                134140,
                "There is no mapping model from the store's version to the model's, and none may be inferred.",
                remedy: "Set NSInferMappingModelAutomaticallyOption, add a mapping model, or register one."
            ).cocoa
        }
        let match = ModelCorrespondence(source: source, destination: model, versions: versions)
        let obstacles = try match.obstacles(contents, connection, configuration: configuration)
        if obstacles.isEmpty { return .lightweight([source, model]) }
        if let path = MigrationModels.path(from: source, to: model, through: versions) {
            return .lightweight(path)
        }
        return .impossible(obstacles, source: source)
    }

    static func isNeeded(
        _ contents: StoreContents, _ connection: SQLiteConnection, url: URL, model: NSManagedObjectModel,
        configuration: String?
    ) throws -> Bool {
        let opening = StoreOpening(
            url: url, settings: try StoreSettings(nil, isReadOnly: true, isInMemory: false), model: model,
            configuration: configuration, type: NSSQLiteStoreType)
        return try opening.mismatch(contents.schema, contents.metadata, connection) != nil
    }
}
