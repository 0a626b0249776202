internal import DataModel

/// Copies entities so that the copies lead to each other as the originals did.
struct ModelCopier {
    private var entities: [ObjectIdentifier: NSEntityDescription] = [:]
    private var properties: [ObjectIdentifier: NSPropertyDescription] = [:]

    static func copy(of model: NSManagedObjectModel) -> NSManagedObjectModel {
        var copier = ModelCopier()
        let copy = NSManagedObjectModel()
        copy.entities = model.entities.map { copier.add($0) }
        copier.link(model.entities)
        copier.copyRest(of: model, to: copy)
        return copy
    }

    /// Copies an entity with its own properties and indexes, leading nowhere yet.
    mutating func add(_ original: NSEntityDescription) -> NSEntityDescription {
        let copy = NSEntityDescription()
        copy.name = original.name
        copy.managedObjectClassName = original.managedObjectClassName
        copy.isAbstract = original.isAbstract
        copy.userInfo = original.userInfo
        copy.versionHashModifier = original.versionHashModifier
        copy.ownRenamingIdentifier = original.ownRenamingIdentifier
        copy.coreSpotlightDisplayNameExpression = original.coreSpotlightDisplayNameExpression
        copy.notes = original.notes
        copy.ownProperties = original.ownProperties.map { property in
            let copied = property.copied()
            properties[ObjectIdentifier(property)] = copied
            return copied
        }
        entities[ObjectIdentifier(original)] = copy
        return copy
    }

    /// Lets what leads to an equal entity of another model lead to the copy that stands for both.
    mutating func replace(_ duplicate: NSEntityDescription, by copy: NSEntityDescription) {
        entities[ObjectIdentifier(duplicate)] = copy
        let known = Dictionary(copy.ownProperties.map { ($0.name, $0) }) { first, _ in first }
        for property in duplicate.ownProperties {
            properties[ObjectIdentifier(property)] = known[property.name]
        }
    }

    /// Gives the copies of entities their parents, destinations, inverses and indexes.
    ///
    /// - Parameter keepingStrangers: whether what leads to an entity that was not copied still leads there.
    func link(_ originals: [NSEntityDescription], keepingStrangers: Bool = false) {
        for original in originals {
            guard let copy = entities[ObjectIdentifier(original)] else { continue }
            copy.subentities += original.subentities.compactMap { child in
                entities[ObjectIdentifier(child)].flatMap { $0.superentity == nil ? $0 : nil }
            }
            for property in original.ownProperties {
                link(property, keepingStrangers: keepingStrangers)
            }
            copy.indexes = original.indexes.map(self.copy)
            copy.uniquenessConstraints = original.uniquenessConstraints.map { $0.map(reference) }
            copy.compoundIndexes = original.compoundIndexes.map { $0.map(reference) }
        }
    }

    private func link(_ property: NSPropertyDescription, keepingStrangers: Bool) {
        let copy = properties[ObjectIdentifier(property)]
        if let relationship = property as? NSRelationshipDescription,
            let copy = copy as? NSRelationshipDescription
        {
            let destination = relationship.destinationEntity.flatMap { entities[ObjectIdentifier($0)] }
            let inverse = relationship.inverseRelationship.flatMap { properties[ObjectIdentifier($0)] }
            copy.destinationEntity = destination ?? (keepingStrangers ? relationship.destinationEntity : nil)
            copy.inverseRelationship =
                inverse as? NSRelationshipDescription
                ?? (keepingStrangers ? relationship.inverseRelationship : nil)
            copy.notes = relationship.notes
        }
        if let fetched = copy as? NSFetchedPropertyDescription, let entity = fetched.fetchRequest?.entity {
            fetched.fetchRequest?.entity = entities[ObjectIdentifier(entity)] ?? entity
        }
    }

    private func copy(_ index: NSFetchIndexDescription) -> NSFetchIndexDescription {
        let elements = index.elements.compactMap { element in
            element.property.map { property in
                let own = properties[ObjectIdentifier(property)] ?? property
                let copy = NSFetchIndexElementDescription(property: own, collationType: element.collationType)
                copy.isAscending = element.isAscending
                return copy
            }
        }
        let copy = NSFetchIndexDescription(name: index.name, elements: elements)
        copy.partialIndexPredicate = index.partialIndexPredicate
        copy.isCompound = index.isCompound
        return copy
    }

    /// A property that is given by name or by description.
    private func reference(_ any: Any) -> Any {
        (any as? NSPropertyDescription).map { properties[ObjectIdentifier($0)] ?? $0 } ?? any
    }

    /// Adds configurations, templates and all that is not an entity.
    func copyRest(of model: NSManagedObjectModel, to copy: NSManagedObjectModel) {
        for (name, members) in model.entitiesByConfiguration {
            let known = copy.entitiesByConfiguration[name] ?? []
            let added = members.compactMap { entities[ObjectIdentifier($0)] }
            copy.entitiesByConfiguration[name] =
                known + added.filter { new in !known.contains { $0 === new } }
        }
        for (name, request) in model.fetchRequestTemplatesByName {
            guard let request = request.copied() as? NSFetchRequest<any NSFetchRequestResult> else {
                continue
            }
            request.entity = request.entity.map { entities[ObjectIdentifier($0)] ?? $0 }
            copy.fetchRequestTemplatesByName[name] = request
        }
        copy.versionIdentifiers.formUnion(model.versionIdentifiers)
        if let translations = model.localizationDictionary {
            copy.localizationDictionary = (copy.localizationDictionary ?? [:]).merging(translations) {
                old, _ in old
            }
        }
        let composites = copy.notes.composites
        let mirrored = copy.notes.mirroredConfigurations
        let unread = copy.notes.unreadRequests
        copy.notes = model.notes
        copy.notes.composites =
            composites
            + model.notes.composites.filter { new in
                !composites.contains { $0.name == new.name }
            }
        copy.notes.mirroredConfigurations.formUnion(mirrored)
        copy.notes.unreadRequests = unread + model.notes.unreadRequests
    }
}
