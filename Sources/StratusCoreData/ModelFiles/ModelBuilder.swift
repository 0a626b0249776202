internal import DataModel

/// Makes the descriptions of a model from what a file says.
///
/// What a file says wrongly without making the model useless, a predicate that cannot be parsed for example, is left
/// out, named in `warnings`, and kept in the notes so that writing the model again loses nothing.
struct ModelBuilder {
    let document: ModelDocument
    private(set) var warnings: [String] = []
    private var entities: [String: NSEntityDescription] = [:]
    private var composites: [String: CompositeDocument] = [:]

    init(_ document: ModelDocument) { self.document = document }

    mutating func build(into model: NSManagedObjectModel) {
        for composite in document.composites { composites[composite.name] = composite }
        var made: [(NSEntityDescription, EntityDocument)] = []
        for source in document.entities {
            guard entities[source.name] == nil else {
                warn("entity '\(source.name)': the name occurs twice; the first counts")
                continue
            }
            let entity = self.entity(source)
            entities[source.name] = entity
            made.append((entity, source))
        }
        model.entities = made.map(\.0)
        linkParents(made)
        for (entity, source) in made {
            linkRelationships(of: entity, source)
            addIndexes(to: entity, source)
        }
        addRest(to: model)
    }

    private mutating func entity(_ source: EntityDocument) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = source.name
        entity.managedObjectClassName = source.className ?? "NSManagedObject"
        entity.isAbstract = source.isAbstract
        entity.ownRenamingIdentifier = source.renamingIdentifier
        entity.versionHashModifier = source.versionHashModifier
        entity.userInfo = Self.userInfo(source.userInfo)
        entity.compoundIndexes = source.compoundIndexes
        entity.uniquenessConstraints = source.uniquenessConstraints
        if let text = source.spotlightDisplayNameExpression {
            entity.coreSpotlightDisplayNameExpression = expression(text)
            if entity.coreSpotlightDisplayNameExpression == nil { entity.notes.spotlightText = text }
        }
        entity.notes.codeGeneration = source.codeGeneration
        let place = "of '\(source.name)'"
        var properties: [NSPropertyDescription] = []
        for attribute in source.attributes { properties.append(self.attribute(attribute, place, path: [])) }
        for relationship in source.relationships { properties.append(Self.relationship(relationship)) }
        for property in source.fetchedProperties { properties.append(fetchedProperty(property, place)) }
        entity.ownProperties = properties
        return entity
    }

    /// The deepest inheritance that is built: looking through it recurses.
    private static let greatestDepth = 200

    /// Whether an entity has more ancestors than are built.
    private func isTooDeep(_ source: EntityDocument, _ parents: [String: String]) -> Bool {
        var depth = 0
        var next = source.parentName
        while let name = next, depth <= Self.greatestDepth {
            depth += 1
            next = parents[name]
        }
        return depth > Self.greatestDepth
    }

    /// Readers of files refuse circles; a document made by hand could still have one.
    private mutating func linkParents(_ made: [(NSEntityDescription, EntityDocument)]) {
        var parents: [String: String] = [:]
        for (_, source) in made { parents[source.name] = source.parentName }
        for (entity, source) in made {
            guard let name = source.parentName else { continue }
            guard let parent = entities[name], !isTooDeep(source, parents),
                !parent.isKindOf(entity: entity)
            else {
                warn(
                    "entity '\(source.name)': its parent '\(name)' does not exist, inherits from it, or is too deep"
                )
                continue
            }
            parent.subentities.append(entity)
        }
    }

    private mutating func linkRelationships(of entity: NSEntityDescription, _ source: EntityDocument) {
        let own = Dictionary(entity.ownProperties.map { ($0.name, $0) }) { first, _ in first }
        for document in source.relationships {
            guard let relationship = own[document.name] as? NSRelationshipDescription else { continue }
            let place = "relationship '\(document.name)' of '\(source.name)'"
            if let name = document.destinationEntityName {
                relationship.destinationEntity = entities[name]
                if relationship.destinationEntity == nil {
                    relationship.notes.destinationName = name
                    warn("\(place): the model has no entity '\(name)'")
                }
            }
            guard let inverse = document.inverseName else { continue }
            let homes = [document.inverseEntityName, document.destinationEntityName].compactMap { $0 }
            let found = homes.compactMap { entities[$0] }
                .compactMap { Self.relationship(named: inverse, near: $0) }.first
            if let found {
                relationship.inverseRelationship = found
            } else {
                relationship.notes.inverseName = inverse
                relationship.notes.inverseEntityName = document.inverseEntityName
                warn("\(place): there is no relationship '\(inverse)' at the other side")
            }
        }
    }

    /// The relationship of an entity, of a parent or of an entity below it.
    private static func relationship(
        named name: String, near home: NSEntityDescription
    ) -> NSRelationshipDescription? {
        var line: [NSEntityDescription] = home.withDescendants
        var parent = home.superentity
        while let current = parent {
            line.insert(current, at: 1)
            parent = current.superentity
        }
        for entity in line {
            for case let relationship as NSRelationshipDescription in entity.ownProperties
            where relationship.name == name {
                return relationship
            }
        }
        return nil
    }

    private mutating func addIndexes(to entity: NSEntityDescription, _ source: EntityDocument) {
        var indexes: [NSFetchIndexDescription] = []
        for document in source.indexes {
            if let index = index(document, of: entity) {
                indexes.append(index)
            } else {
                entity.notes.unreadIndexes.append(document)
            }
        }
        entity.indexes = indexes
    }

    private mutating func index(
        _ document: FetchIndexDocument, of entity: NSEntityDescription
    ) -> NSFetchIndexDescription? {
        let place = "index '\(document.name)' of '\(entity.name ?? "")'"
        let known = entity.propertiesByName
        var elements: [NSFetchIndexElementDescription] = []
        for element in document.elements {
            var property: NSPropertyDescription?
            switch element.subject {
            case .property(let name): property = known[name]
            case .expression(let text, let type):
                if let expression = expression(text) {
                    let description = NSExpressionDescription()
                    description.expression = expression
                    description.expressionResultType = Self.type(type)
                    property = description
                }
            }
            guard let property else {
                warn("\(place): what it indexes does not exist; the index is left out")
                return nil
            }
            let made = NSFetchIndexElementDescription(
                property: property, collationType: element.kind == .rTree ? .rTree : .binary)
            made.isAscending = element.isAscending
            elements.append(made)
        }
        let index = NSFetchIndexDescription(name: document.name, elements: elements)
        if let format = document.partialIndexPredicate {
            guard let predicate = try? NSPredicate.parsed(format) else {
                warn("\(place): its predicate cannot be parsed; the index is left out: \(format)")
                return nil
            }
            index.partialIndexPredicate = predicate
        }
        return index
    }

    private mutating func addRest(to model: NSManagedObjectModel) {
        model.versionIdentifiers = Set(document.versionIdentifiers.map { AnyHashable($0) })
        for configuration in document.configurations {
            let members = configuration.entityNames.compactMap { entities[$0] }
            if members.count < configuration.entityNames.count {
                warn("configuration '\(configuration.name)': it names an entity that does not exist")
            }
            model.entitiesByConfiguration[configuration.name] = members
            if configuration.isUsedWithCloudKit {
                model.notes.mirroredConfigurations.insert(configuration.name)
            }
        }
        for source in document.fetchRequests {
            guard let request = fetchRequest(source, "fetchRequest '\(source.name)'") else {
                model.notes.unreadRequests.append(source)
                continue
            }
            // An entity of the model, since the name alone says nothing to code that looks at a template.
            request.entity = source.entityName.flatMap { entities[$0] }
            model.fetchRequestTemplatesByName[source.name] = request
        }
        var describer = ModelDescriber()
        model.notes.composites = document.composites.map { composite in
            let elements = composite.attributes.map { element in
                describer.document(of: attribute(element, "of '\(composite.name)'", path: [composite.name]))
            }
            return CompositeDocument(name: composite.name, attributes: elements)
        }
        model.notes.sourceLanguage = document.sourceLanguage
        model.notes.toolsVersion = document.toolsVersion
        model.notes.minimumToolsVersion = document.minimumToolsVersion
        model.notes.isUsedWithCloudKit = document.isUsedWithCloudKit
        model.notes.isUsedWithSwiftData = document.isUsedWithSwiftData
    }

    /// The elements of a composite type; none where the type is inside itself.
    mutating func elements(of composite: String, path: [String], _ place: String) -> [NSAttributeDescription]
    {
        guard let source = composites[composite], !path.contains(composite) else {
            warn("\(place): the composite '\(composite)' does not exist or is inside itself")
            return []
        }
        return source.attributes.map { attribute($0, "of '\(composite)'", path: path + [composite]) }
    }

    mutating func warn(_ text: String) {
        if warnings.count < 1000 { warnings.append(text) }
    }
}
