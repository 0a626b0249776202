internal import DataModel

/// Says what a model says as a document: for `Z_MODELCACHE`, and to compare models.
struct ModelDescriber {
    /// The composite types that were met, in order.
    private(set) var composites: [CompositeDocument] = []

    mutating func document(of model: NSManagedObjectModel) -> ModelDocument {
        composites = []
        var document = ModelDocument(entities: model.entities.map { self.document(of: $0) })
        let known = Set(composites.map(\.name))
        let order = Dictionary(
            model.notes.composites.enumerated().map { ($1.name, $0) }
        ) { first, _ in first }
        document.composites = (composites + model.notes.composites.filter { !known.contains($0.name) })
            .enumerated()
            .sorted { left, right in
                let places = (order[left.element.name] ?? .max, order[right.element.name] ?? .max)
                return places.0 == places.1 ? left.offset < right.offset : places.0 < places.1
            }
            .map(\.element)
        document.fetchRequests = model.fetchRequestTemplatesByName.map { self.document(of: $1, name: $0) }
        document.fetchRequests += model.notes.unreadRequests.filter {
            model.fetchRequestTemplatesByName[$0.name] == nil
        }
        document.fetchRequests.sort { $0.name < $1.name }
        document.configurations = model.entitiesByConfiguration.map { name, members in
            ConfigurationDocument(
                name: name, entityNames: members.map { $0.name ?? "" },
                isUsedWithCloudKit: model.notes.mirroredConfigurations.contains(name))
        }
        .sorted { $0.name < $1.name }
        document.versionIdentifiers = model.versionIdentifiers.map { "\($0.base)" }.sorted()
        document.sourceLanguage = model.notes.sourceLanguage
        document.toolsVersion = model.notes.toolsVersion
        document.minimumToolsVersion = model.notes.minimumToolsVersion
        document.isUsedWithCloudKit = model.notes.isUsedWithCloudKit
        document.isUsedWithSwiftData = model.notes.isUsedWithSwiftData
        return document
    }

    mutating func document(of entity: NSEntityDescription) -> EntityDocument {
        var document = EntityDocument(name: entity.name ?? "")
        let className = entity.managedObjectClassName ?? "NSManagedObject"
        document.className = className == "NSManagedObject" ? nil : className
        document.parentName = entity.superentity?.name
        document.isAbstract = entity.isAbstract
        document.codeGeneration = entity.notes.codeGeneration
        document.renamingIdentifier = entity.ownRenamingIdentifier
        document.versionHashModifier = entity.versionHashModifier
        document.userInfo = Self.userInfo(entity.userInfo)
        document.spotlightDisplayNameExpression =
            entity.notes.spotlightText ?? entity.coreSpotlightDisplayNameExpression?.description
        document.compoundIndexes = entity.compoundIndexes.map(Self.names)
        document.uniquenessConstraints = entity.uniquenessConstraints.map(Self.names)
        for property in entity.ownProperties {
            switch property {
            case let attribute as NSAttributeDescription:
                document.attributes.append(self.document(of: attribute))
            case let relationship as NSRelationshipDescription:
                document.relationships.append(Self.document(of: relationship))
            case let fetched as NSFetchedPropertyDescription:
                document.fetchedProperties.append(self.document(of: fetched))
            default: break
            }
        }
        document.indexes = entity.indexes.map(Self.document) + entity.notes.unreadIndexes
        return document
    }

    /// The name under which the document lists a composite type; a new one where another type has the name.
    private mutating func name(of elements: [AttributeDocument], wanted: String) -> String {
        var name = wanted
        var number = 1
        while let known = composites.first(where: { $0.name == name }) {
            if known.attributes == elements { return name }
            number += 1
            name = "\(wanted) \(number)"
        }
        composites.append(CompositeDocument(name: name, attributes: elements))
        return name
    }

    mutating func compositeName(of attribute: NSAttributeDescription) -> String? {
        guard let composite = attribute as? NSCompositeAttributeDescription else {
            return attribute.notes.compositeName
        }
        let elements = composite.elements.map { document(of: $0) }
        if elements.isEmpty, attribute.notes.compositeName == nil { return nil }
        return name(of: elements, wanted: attribute.notes.compositeName ?? attribute.name)
    }

    /// Names of properties that are given by name or by description.
    static func names(_ properties: [Any]) -> [String] {
        properties.compactMap { ($0 as? String) ?? ($0 as? NSPropertyDescription)?.name }
    }

    static func userInfo(_ entries: [AnyHashable: Any]?) -> [String: String] {
        var result: [String: String] = [:]
        for (key, value) in entries ?? [:] { result["\(key.base)"] = (value as? String) ?? "\(value)" }
        return result
    }
}

extension ModelDescriber {
    static func areEqual(_ left: NSManagedObjectModel, _ right: NSManagedObjectModel) -> Bool {
        comparable(left) == comparable(right)
    }

    static func areEqual(_ left: NSEntityDescription, _ right: NSEntityDescription) -> Bool {
        var (first, second) = (ModelDescriber(), ModelDescriber())
        let documents = (comparable(first.document(of: left)), comparable(second.document(of: right)))
        return documents.0 == documents.1 && first.composites == second.composites
    }

    static func areEqual(_ left: NSPropertyDescription, _ right: NSPropertyDescription) -> Bool {
        guard Swift.type(of: left) == Swift.type(of: right), left.entity?.name == right.entity?.name else {
            return false
        }
        var (first, second) = (ModelDescriber(), ModelDescriber())
        return first.entity(around: left) == second.entity(around: right)
            && first.composites == second.composites
            && (left as? NSExpressionDescription)?.expression
                == (right as? NSExpressionDescription)?.expression
    }

    private mutating func entity(around property: NSPropertyDescription) -> EntityDocument {
        var document = EntityDocument(name: "")
        switch property {
        case let attribute as NSAttributeDescription: document.attributes = [self.document(of: attribute)]
        case let relationship as NSRelationshipDescription:
            document.relationships = [Self.document(of: relationship)]
        case let fetched as NSFetchedPropertyDescription:
            document.fetchedProperties = [self.document(of: fetched)]
        default: break
        }
        return Self.comparable(document)
    }

    /// The document without orders that mean nothing and without what only tools read.
    private static func comparable(_ model: NSManagedObjectModel) -> ModelDocument {
        var describer = ModelDescriber()
        var document = describer.document(of: model)
        document.entities = document.entities.map(comparable).sorted { $0.name < $1.name }
        document.composites = describer.composites.sorted { $0.name < $1.name }
        for index in document.configurations.indices { document.configurations[index].entityNames.sort() }
        document.sourceLanguage = nil
        document.toolsVersion = nil
        document.minimumToolsVersion = nil
        return document
    }

    private static func comparable(_ entity: EntityDocument) -> EntityDocument {
        var result = entity
        result.codeGeneration = .unspecified
        result.attributes.sort { $0.name < $1.name }
        for index in result.attributes.indices { result.attributes[index].usesScalarType = nil }
        result.relationships.sort { $0.name < $1.name }
        result.fetchedProperties.sort { $0.name < $1.name }
        result.indexes.sort { $0.name < $1.name }
        result.uniquenessConstraints.sort { $0.lexicographicallyPrecedes($1) }
        result.compoundIndexes.sort { $0.lexicographicallyPrecedes($1) }
        return result
    }
}
