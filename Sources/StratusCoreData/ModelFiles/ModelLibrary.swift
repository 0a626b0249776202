/// All versions of all models that the program can find: what migration takes source models from.
enum ModelLibrary {
    /// All versions in bundles; nil means everywhere that the program looks, what is compiled into it first.
    static func sources(in bundles: [Bundle]?) -> [ModelSource] {
        let compiled = BundledModels.models.flatMap(ModelSource.versions)
        guard let bundles else {
            return compiled + ModelPlaces.program.models.flatMap(ModelSource.versions(at:))
        }
        // Compiled-in models have no bundle of their own; they are the program's.
        let own = bundles.contains { $0 === Bundle.main } ? compiled : []
        return own + ModelPlaces(bundles: bundles).models.flatMap(ModelSource.versions(at:))
    }

    /// The version whose entities have exactly these hashes, as a store's metadata names them.
    ///
    /// Hashes are those of this package; for a store of Apple's, whose hashes nobody else can make, the model in
    /// the store itself is the source model.
    static func model(versionHashes: [String: Data], in bundles: [Bundle]? = nil) -> NSManagedObjectModel? {
        for source in sources(in: bundles) {
            // A version that cannot be read is not the one that wrote a store.
            guard let model = try? source.load(), model.entityVersionHashesByName == versionHashes else {
                continue
            }
            return model
        }
        return nil
    }

    /// Those models which together have all of a store's entities in the store's version; one where one suffices.
    static func fitting(
        _ models: [NSManagedObjectModel], _ metadata: [String: Any]
    ) -> [NSManagedObjectModel]? {
        guard let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return nil }
        if let whole = models.first(where: { $0.entityVersionHashesByName == stored }) { return [whole] }
        let parts = models.filter { model in
            !model.entities.isEmpty && model.entityVersionHashesByName.allSatisfy { stored[$0] == $1 }
        }
        let covered = Set(parts.flatMap { $0.entities.compactMap(\.name) })
        return covered == Set(stored.keys) ? parts : nil
    }
}

extension NSManagedObjectModel {
    /// Finds a model by its name, without extension.
    ///
    /// Models that the build plugin compiled into the program come first, then files: in the main bundle, in all
    /// loaded bundles, beside the executable with the resource bundles there, and in `Resources` of the current
    /// directory. Each call gives a model of its own.
    ///
    /// - Throws: `CocoaError` that lists the places, or says what is wrong with the model that was found.
    public class func named(_ name: String) throws -> NSManagedObjectModel {
        if let compiled = BundledModels.model(named: name) {
            let versions = ModelSource.versions(of: compiled)
            guard let current = versions.first(where: \.isCurrent) ?? versions.last else {
                throw notFound(name, [])
            }
            return try current.load()
        }
        let places = ModelPlaces.program
        guard let url = places.model(named: name) else { throw notFound(name, places.folders) }
        return try NSManagedObjectModel(readingFrom: url)
    }

    private static func notFound(_ name: String, _ folders: [URL]) -> CocoaError {
        let compiled = BundledModels.models.map { $0.name }.sorted()
        let models = compiled.isEmpty ? "none" : compiled.joined(separator: ", ")
        let places = folders.map { "  \($0.path)" }.joined(separator: "\n")
        let extensions = ModelPlaces.extensions.joined(separator: ", .")
        return CoreDataError(
            260,
            """
            There is no model named '\(name)'. Models compiled into the program: \(models). No \(name) with the \
            extension .\(extensions) in:
            \(places)
            """,
            remedy: """
                Add the plugin ManagedObjectGenerator to the target that holds \(name).xcdatamodeld, put the model \
                into one of these folders, or pass a model: NSPersistentContainer(name:managedObjectModel:).
                """
        ).cocoa
    }
}
