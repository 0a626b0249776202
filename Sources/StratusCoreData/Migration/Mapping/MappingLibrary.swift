internal import DataModel

/// The mapping models that a program brings along as files.
struct MappingLibrary {
    private let source: NSManagedObjectModel
    private let destination: NSManagedObjectModel

    /// The mapping model that leads from the one version to the other; nil where there is none.
    ///
    /// - Parameter bundles: where to look; nil means everywhere that the program looks for models.
    static func mapping(
        from source: NSManagedObjectModel, to destination: NSManagedObjectModel, in bundles: [Bundle]?
    ) -> NSMappingModel? {
        let places = bundles.map { ModelPlaces(bundles: $0) } ?? ModelPlaces.program
        let files = places.files(withExtensions: MappingFile.extensions)
        guard !files.isEmpty else { return nil }
        return MappingLibrary(source: source, destination: destination).best(of: files)
    }

    /// Versions are distinguished by the hashes of their entities. What another compiler made has other hashes, and what
    /// was not compiled has none: those have to fit by what they name, and only one of them may.
    private func best(of files: [URL]) -> NSMappingModel? {
        var fitting: [(document: MappingDocument, file: URL)] = []
        for file in files {
            // A file that cannot be read is for another pair, or says so when it is asked for by its name.
            guard let document = try? document(at: file), !document.entityMappings.isEmpty else { continue }
            if hasHashes(document) { return try? NSMappingModel(document: document) }
            if !document.hasOwnHashes, namesFit(document) { fitting.append((document, file)) }
        }
        if fitting.count > 1 {
            let names = fitting.map(\.file.lastPathComponent).joined(separator: ", ")
            CoreDataLog.report(
                "Several mapping models fit the same two versions, so none is taken: \(names). Read the right one "
                    + "with NSMappingModel(contentsOf:), or compile it with the plugin ManagedObjectGenerator."
            )
            return nil
        }
        return fitting.first.flatMap { try? NSMappingModel(document: $0.document) }
    }

    private func document(at file: URL) throws -> MappingDocument {
        guard MappingFile.isSource(file) else { return try MappingDocument(contentsOf: file) }
        var document = try MappingSource(contentsOf: file).compiled(
            from: source.document, to: destination.document)
        // These hashes are those of the question, so they say nothing.
        document.hasOwnHashes = false
        for index in document.entityMappings.indices {
            document.entityMappings[index].sourceVersionHash = nil
            document.entityMappings[index].destinationVersionHash = nil
        }
        return document
    }

    private func hasHashes(_ document: MappingDocument) -> Bool {
        let (before, after) = (source.entityVersionHashesByName, destination.entityVersionHashesByName)
        return document.entityMappings.allSatisfy { mapping in
            mapping.sourceEntityName.map { before[$0] != nil && before[$0] == mapping.sourceVersionHash }
                ?? true
                && mapping.destinationEntityName.map {
                    after[$0] != nil && after[$0] == mapping.destinationVersionHash
                } ?? true
        }
    }

    // MARK: By names

    /// Whether the mapping names all of the newer version's entities and properties, and no other.
    private func namesFit(_ document: MappingDocument) -> Bool {
        var made: Set<String> = []
        for mapping in document.entityMappings {
            if let name = mapping.sourceEntityName {
                guard let entity = source.entitiesByName[name], readsOnly(entity, mapping) else {
                    return false
                }
            }
            guard let name = mapping.destinationEntityName else { continue }
            guard let entity = destination.entitiesByName[name] else { return false }
            made.insert(name)
            let named = Set((mapping.attributeMappings + mapping.relationshipMappings).map(\.name))
            let stored = entity.properties.filter {
                !$0.isTransient && !($0 is NSFetchedPropertyDescription)
                    && !($0 is NSDerivedAttributeDescription)
            }
            guard named.isSubset(of: entity.propertiesByName.keys),
                named.isSuperset(of: stored.map(\.name))
            else { return false }
        }
        return destination.entities.allSatisfy { $0.isAbstract || made.contains($0.name ?? "") }
    }

    /// Whether all that the mapping's expressions read of `$source` is there.
    private func readsOnly(_ entity: NSEntityDescription, _ mapping: EntityMappingDocument) -> Bool {
        (mapping.attributeMappings + mapping.relationshipMappings).allSatisfy { property in
            guard let format = property.valueExpression, let tree = try? ExpressionTree(parsing: format)
            else {
                return true
            }
            guard case .member(.variable("source"), let keys) = tree, let first = keys.first else {
                return true
            }
            return entity.propertiesByName[first] != nil
        }
    }
}
