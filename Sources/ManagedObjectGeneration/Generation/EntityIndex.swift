import DataModel

/// The entities of a target's models by the class that represents them.
struct EntityIndex {
    private var documents: [String: (entity: EntityDocument, model: ModelDocument)] = [:]

    init(models: [ModelFile], module: String) {
        for model in models {
            for entity in model.document.entities {
                guard let name = Self.localClass(of: entity, module: module), documents[name] == nil else {
                    continue
                }
                documents[name] = (entity, model.document)
            }
        }
    }

    /// The class's name in this module; nil where the entity has none, or one of another module.
    static func localClass(of entity: EntityDocument, module: String) -> String? {
        let parts = entity.className(inModule: module).split(separator: ".").map(String.init)
        guard let name = parts.last, name != "NSManagedObject" else { return nil }
        return parts.count == 1 || parts.dropLast() == [module] ? name : nil
    }

    /// The classes of the entities, sorted.
    var classNames: [String] { documents.keys.sorted() }

    /// The entity that a class represents.
    func entity(ofClass name: String) -> EntityDocument? { documents[name]?.entity }

    /// The transient attributes of the class's entity and of those above it, sorted.
    func transientAttributes(ofClass name: String) -> [String] {
        guard let (start, model) = documents[name] else { return [] }
        var entity = start
        var names: Set<String> = []
        for _ in 0...model.entities.count {
            names.formUnion(entity.attributes.filter(\.isTransient).map(\.name))
            guard let parent = entity.parentName.flatMap({ model.entity(named: $0) }) else { break }
            entity = parent
        }
        return names.sorted()
    }

    /// Whether the class's entity, or one above it, has that property; nil where there is no entity.
    func hasProperty(_ property: String, inClass name: String) -> Bool? {
        guard let (start, model) = documents[name] else { return nil }
        var entity = start
        for _ in 0...model.entities.count {
            if entity.attributes.contains(where: { $0.name == property })
                || entity.relationships.contains(where: { $0.name == property })
                || entity.fetchedProperties.contains(where: { $0.name == property })
            {
                return true
            }
            guard let parent = entity.parentName.flatMap({ model.entity(named: $0) }) else { return false }
            entity = parent
        }
        return false
    }
}
