/// A store that is to be brought to a model before it is opened, and how.
package struct MigrationRequest {
    /// The store's file.
    package let url: URL
    /// The model that the store is brought to.
    package let model: NSManagedObjectModel
    /// The part of the model that the store keeps; nil for all of it.
    package let configuration: String?
    /// Versions that the store may be of, or that may lie on the way.
    package var versions: [NSManagedObjectModel]
    /// Whether a mapping may be inferred.
    package var infers = true
    /// Whether the older store stays beside the newer one.
    package var keepsOld = false
    /// The stages that lead to the model, where the app has said them.
    package var staged: NSStagedMigrationManager?
    /// What the store is added with.
    package var options: [AnyHashable: Any] = [:]
    /// Called now and then; may throw to stop.
    package var progress: (MigrationProgress) throws -> Void = { _ in }

    /// A migration by inference, which leaves nothing of the older store.
    package init(
        url: URL, model: NSManagedObjectModel, configuration: String?, versions: [NSManagedObjectModel] = []
    ) {
        self.url = url
        self.model = model
        self.configuration = configuration
        self.versions = versions
    }
}
