/// A store that is to be brought to a model before it is opened, and how.
struct MigrationRequest {
    /// The store's file.
    let url: URL
    /// The model that the store is brought to.
    let model: NSManagedObjectModel
    /// The part of the model that the store keeps; nil for all of it.
    let configuration: String?
    /// Versions that the store may be of, or that may lie on the way.
    var versions: [NSManagedObjectModel]
    /// Whether a mapping may be inferred.
    var infers = true
    /// Whether the older store stays beside the newer one.
    var keepsOld = false
    /// The stages that lead to the model, where the app has said them.
    var staged: NSStagedMigrationManager?
    /// What the store is added with.
    var options: [AnyHashable: Any] = [:]
    /// Called now and then; may throw to stop.
    var progress: (MigrationProgress) throws -> Void = { _ in }

    init(
        url: URL, model: NSManagedObjectModel, configuration: String?, versions: [NSManagedObjectModel] = []
    ) {
        self.url = url
        self.model = model
        self.configuration = configuration
        self.versions = versions
    }
}
