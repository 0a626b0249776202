extension NSManagedObjectModel {
    /// Makes one model of several, with copies of their entities.
    ///
    /// Entities of one name must be equal; they become one. Of templates with one name the last counts.
    /// - Returns: nil for no models, and where two entities of a name differ; ``CoreDataLog`` has the reason.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        guard let models, !models.isEmpty else { return nil }
        self.init()
        do {
            try merge(models)
        } catch {
            CoreDataLog.report(error.localizedDescription)
            return nil
        }
    }

    /// Makes one model of those entities of several models that a store was written with.
    ///
    /// - Returns: nil where the models do not hold all of the store's entities in the store's version.
    public convenience init?(
        byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]
    ) {
        let found = ModelLibrary.fitting(models, metadata)
        guard let found else { return nil }
        self.init(byMerging: found)
    }

    static func merged(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        do {
            let sources = ModelLibrary.sources(in: bundles).filter(\.isCurrent)
            return NSManagedObjectModel(byMerging: try sources.map { try $0.load() })
        } catch {
            CoreDataLog.report(error.localizedDescription)
            return nil
        }
    }

    static func merged(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        let models = ModelLibrary.sources(in: bundles).compactMap { source in
            do { return try source.load() } catch {
                CoreDataLog.report(error.localizedDescription)
                return nil
            }
        }
        return NSManagedObjectModel(byMerging: models, forStoreMetadata: metadata)
    }

    /// Takes copies of the models' entities.
    ///
    /// - Throws: `CocoaError` where two entities of one name differ.
    private func merge(_ models: [NSManagedObjectModel]) throws {
        var copier = ModelCopier()
        var first: [String: NSEntityDescription] = [:]
        var copies: [NSEntityDescription] = []
        for entity in models.flatMap(\.entities) {
            let name = entity.name ?? ""
            if let known = first[name] {
                guard known.isEqual(entity) else {
                    throw CoreDataError(
                        134060, "Two models have different entities named '\(name)'.",
                        remedy: "Rename one of them, or merge only one of the models."
                    ).cocoa
                }
                if let copy = copies.first(where: { $0.name == name }) { copier.replace(entity, by: copy) }
            } else {
                first[name] = entity
                copies.append(copier.add(entity))
            }
        }
        entities = copies
        for model in models { copier.link(model.entities.filter { first[$0.name ?? ""] === $0 }) }
        for model in models { copier.copyRest(of: model, to: self) }
    }
}
