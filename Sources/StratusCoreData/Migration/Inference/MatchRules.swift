/// The limits of lightweight migration: finds what of a match cannot be inferred.
struct MatchRules {
    let match: ModelCorrespondence
    private(set) var obstacles: [MigrationObstacle] = []
    private(set) var rowObstacles: [RowObstacle] = []

    init(match: ModelCorrespondence) { self.match = match }

    mutating func check() {
        checkHierarchies()
        for entity in match.entities where entity.source != nil {
            for property in entity.destination.properties.sorted(by: { $0.name < $1.name }) {
                check(property, of: entity)
            }
        }
    }

    private mutating func report(
        _ entity: NSEntityDescription, _ property: NSPropertyDescription?, _ reason: String
    ) {
        obstacles.append(obstacle(entity, property, reason))
    }

    /// What stands in the way of objects that exist: a store without any of the entity is migrated all the same.
    private mutating func report(
        rowsOf entity: EntityMatch, without attribute: NSAttributeDescription? = nil,
        _ property: NSPropertyDescription, _ reason: String
    ) {
        guard let source = entity.source else { return }
        var obstacle = obstacle(entity.destination, property, reason)
        obstacle.isOfObjects = true
        rowObstacles.append(RowObstacle(source: source, attribute: attribute, obstacle: obstacle))
    }

    private func obstacle(
        _ entity: NSEntityDescription, _ property: NSPropertyDescription?, _ reason: String
    ) -> MigrationObstacle {
        // Told once, for the entity that declares the property, not for all that inherit it.
        let name = (property?.entity ?? entity).name ?? ""
        return MigrationObstacle(entity: name, property: property?.name, reason: reason)
    }

    /// Entities without a common ancestor cannot get one: their rows are in different tables, and may have the
    /// same keys.
    private mutating func checkHierarchies() {
        for root in match.destination.entities where root.superentity == nil {
            var first: EntityMatch?
            for member in root.withDescendants {
                guard let entity = match.match(of: member), let source = entity.source else { continue }
                guard let known = first, let knownSource = known.source else {
                    first = entity
                    continue
                }
                guard knownSource.root !== source.root else { continue }
                report(
                    member, nil,
                    "It shares the ancestor '\(root.name ?? "")' with '\(known.destination.name ?? "")' now, and had no "
                        + "common one before. Hierarchies cannot be merged by inference; write a mapping model."
                )
            }
        }
    }

    private mutating func check(_ property: NSPropertyDescription, of entity: EntityMatch) {
        let old = entity.properties[property.name]
        switch (property, old) {
        case (is NSFetchedPropertyDescription, _): break
        case (let new as NSAttributeDescription, let old as NSAttributeDescription): check(new, old, entity)
        case (let new as NSRelationshipDescription, let old as NSRelationshipDescription):
            check(new, old, entity)
        case (let new, nil): checkAdded(new, entity)
        case (let new, let old?):
            let kinds = [old, new].map { $0 is NSRelationshipDescription ? "a relationship" : "an attribute" }
            guard !new.isTransient, !old.isTransient else { return checkAdded(new, entity) }
            report(entity.destination, new, "It was \(kinds[0]) and is \(kinds[1]).")
        }
    }

    // MARK: Attributes

    private mutating func check(
        _ new: NSAttributeDescription, _ old: NSAttributeDescription, _ entity: EntityMatch
    ) {
        guard !new.isTransient, !(new is NSDerivedAttributeDescription) else { return }
        guard !old.isTransient else { return checkAdded(new, entity) }
        guard new.attributeType == old.attributeType || new.attributeType.holdsNumbers(of: old.attributeType)
        else {
            return report(
                entity.destination, new,
                "Its type was \(old.attributeType.displayName) and is \(new.attributeType.displayName). Types cannot be "
                    + "changed by inference, but for numbers that get more room: add an attribute of the new type "
                    + "beside it, or write a mapping model."
            )
        }
        if let new = new as? NSCompositeAttributeDescription,
            let old = old as? NSCompositeAttributeDescription
        {
            let before = Dictionary(FlatAttribute.all(old).map { ($0.path, $0.attribute) }) { first, _ in
                first
            }
            for element in FlatAttribute.all(new) {
                guard let known = before[element.path], known.attributeType != element.attribute.attributeType
                else { continue }
                report(
                    entity.destination, new,
                    "The type of its element '\(element.path.joined(separator: "."))' changed.")
            }
        }
        guard !new.isOptional, old.isOptional, new.defaultPropertyValue.isNull else { return }
        report(
            rowsOf: entity, without: old, new,
            "It was optional and is required, and has no default for the objects without a value. Give it one, or fill "
                + "them in a custom migration stage."
        )
    }

    private mutating func checkAdded(_ new: NSPropertyDescription, _ entity: EntityMatch) {
        if let relationship = new as? NSRelationshipDescription { checkNewInverse(relationship, entity) }
        guard !new.isTransient, !new.isOptional, entity.source?.isAbstract != true else { return }
        switch new {
        case is NSDerivedAttributeDescription, is NSCompositeAttributeDescription: break
        case let attribute as NSAttributeDescription:
            guard attribute.defaultPropertyValue.isNull else { return }
            report(
                rowsOf: entity, attribute,
                "It is new and required, and has no default for the objects that exist. Give it one, or make it optional."
            )
        case let relationship as NSRelationshipDescription:
            // The other side may have known it all along.
            guard inverseOrigins(relationship).isEmpty else { return }
            // Leading to nothing is what a to-many relationship may do, unless it has a least number.
            guard !relationship.isToMany || relationship.minCount > 0 else { return }
            report(
                rowsOf: entity, relationship,
                "It is new and required, and the objects that exist have nothing to lead to. Make it optional."
            )
        default: break
        }
    }

    // MARK: Relationships

    private func inverseOrigins(_ relationship: NSRelationshipDescription) -> [NSRelationshipDescription] {
        guard let inverse = relationship.inverseRelationship else { return [] }
        return match.origins(inverse).compactMap { $0.property as? NSRelationshipDescription }
    }

    /// A new to-one side of a relationship whose other side led from many objects to many.
    private mutating func checkNewInverse(_ new: NSRelationshipDescription, _ entity: EntityMatch) {
        guard !new.isToMany,
            let old = inverseOrigins(new).first(where: {
                $0.isToMany && $0.inverseRelationship?.isToMany == true
            })
        else { return }
        report(
            entity.destination, new,
            "It is to-one, and the relationship '\(old.name)' that it is the inverse of led from many objects to one "
                + "and the same. Make it to-many, or write a mapping model.")
    }

    private mutating func check(
        _ new: NSRelationshipDescription, _ old: NSRelationshipDescription, _ entity: EntityMatch
    ) {
        guard !new.isTransient else { return }
        guard !old.isTransient else { return checkAdded(new, entity) }
        if old.isToMany, !new.isToMany {
            return report(
                entity.destination, new,
                "It was to-many and is to-one, and which object stays cannot be inferred. Write a mapping model."
            )
        }
        checkDestination(new, old, entity)
        guard let oldInverse = old.inverseRelationship else {
            if let other = inverseOrigins(new).first { reportPairing(new, old, other, entity) }
            return
        }
        let origins = inverseOrigins(new)
        guard !origins.isEmpty, !origins.contains(where: { $0 === oldInverse }) else { return }
        reportPairing(new, old, origins[0], entity)
    }

    private mutating func reportPairing(
        _ new: NSRelationshipDescription, _ old: NSRelationshipDescription,
        _ other: NSRelationshipDescription,
        _ entity: EntityMatch
    ) {
        report(
            entity.destination, new,
            "Its inverse was '\(old.inverseRelationship?.name ?? "none")' and is "
                + "'\(new.inverseRelationship?.name ?? "none")', which was the relationship '\(other.name)' with objects of "
                + "its own; both cannot be kept. Write a mapping model.")
    }

    /// The objects at the other side have to be of the entity that it leads to now, some of them at least.
    private mutating func checkDestination(
        _ new: NSRelationshipDescription, _ old: NSRelationshipDescription, _ entity: EntityMatch
    ) {
        guard let before = old.destinationEntity, let after = new.destinationEntity else { return }
        let survivors = before.withDescendants.compactMap(match.destination(of:))
        guard !survivors.isEmpty else { return }
        let isRelated = survivors.contains { $0.isKindOf(entity: after) || after.isKindOf(entity: $0) }
        guard !isRelated else { return }
        report(
            entity.destination, new,
            "It led to '\(before.name ?? "")', which is '\(survivors[0].name ?? "")' now, and leads to "
                + "'\(after.name ?? "")'. Give it another name, or write a mapping model.")
    }
}

extension NSAttributeType {
    /// Whether every number of another type, or the one nearest to it, is one of this type, so that inference may change
    /// the type of an attribute. Apple's list of changes (https://developer.apple.com/documentation/coredata/using-lightweight-migration)
    /// is silent about it; apps do rely on Integer 64 becoming Double.
    fileprivate func holdsNumbers(of other: NSAttributeType) -> Bool {
        let order: [NSAttributeType] = [
            .booleanAttributeType, .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
        ]
        let wholes = order.firstIndex(of: other)
        switch self {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            guard let wholes, let own = order.firstIndex(of: self) else { return false }
            return wholes < own
        case .doubleAttributeType: return wholes != nil || other == .floatAttributeType
        case .decimalAttributeType: return wholes != nil
        default: return false
        }
    }
}
