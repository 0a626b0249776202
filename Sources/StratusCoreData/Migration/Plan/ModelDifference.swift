/// What changed between two versions of a model, entity by entity.
package struct ModelDifference {
    let match: ModelCorrespondence

    /// The difference that a match found.
    package init(match: ModelCorrespondence) { self.match = match }

    /// The changes, those of new and changed entities in the order of their numbers, then what is gone.
    package var steps: [MigrationPlan.Step] {
        match.entities.flatMap(steps)
            + match.removed.map { step($0, nil, .removeEntity, "its objects are removed") }
    }

    private func step(
        _ entity: NSEntityDescription, _ property: NSPropertyDescription?, _ action: MigrationPlan.Action,
        _ detail: String
    ) -> MigrationPlan.Step {
        MigrationPlan.Step(
            entity: entity.name ?? "", property: property?.name, action: action, detail: detail)
    }

    private func steps(_ entity: EntityMatch) -> [MigrationPlan.Step] {
        let new = entity.destination
        guard let old = entity.source else {
            let parent = new.superentity.map { ", a kind of '\($0.name ?? "")'" } ?? ""
            return [step(new, nil, .addEntity, "new\(parent)")]
        }
        var result: [MigrationPlan.Step] = []
        if old.name != new.name { result.append(step(new, nil, .renameEntity, "was '\(old.name ?? "")'")) }
        let (before, after) = (old.superentity.flatMap(match.destination(of:)), new.superentity)
        if before !== after || (old.superentity == nil) != (new.superentity == nil) {
            let names = [old.superentity, after].map { $0?.name.map { "'\($0)'" } ?? "nothing" }
            result.append(
                step(new, nil, .moveEntity, "inherited from \(names[0]), inherits from \(names[1])"))
        }
        if old.isAbstract != new.isAbstract {
            result.append(
                step(new, nil, .changeEntity, new.isAbstract ? "is abstract now" : "is no longer abstract"))
        }
        for property in new.properties.sorted(by: { $0.name < $1.name }) { result += steps(property, entity) }
        // What the parent lost is listed there, unless the parent is gone itself.
        for gone in entity.removed
        where gone.entity === old || gone.entity.flatMap(match.destination(of:)) == nil {
            result.append(step(new, gone, .removeProperty, "removed"))
        }
        return result + indexSteps(old, new)
    }

    private func steps(_ new: NSPropertyDescription, _ entity: EntityMatch) -> [MigrationPlan.Step] {
        guard !(new is NSFetchedPropertyDescription) else { return [] }
        let owner = entity.destination
        guard let old = entity.properties[new.name] else {
            guard !new.isTransient, isOwn(new, entity) else { return [] }
            return [step(owner, new, .addProperty, "new \(kind(new))\(defaultText(new))")]
        }
        guard isOwn(new, entity) || old.entity === entity.source else { return [] }
        var result: [MigrationPlan.Step] = []
        if old.name != new.name { result.append(step(owner, new, .renameProperty, "was '\(old.name)'")) }
        if let declared = old.entity.flatMap(match.destination(of:)), declared !== new.entity {
            result.append(
                step(
                    owner, new, .moveProperty, "from '\(old.entity.name ?? "")' to '\(new.entity.name ?? "")'"
                ))
        }
        let changes = changes(old, new)
        if !changes.isEmpty {
            result.append(step(owner, new, .changeProperty, changes.joined(separator: ", ")))
        }
        return result
    }

    /// Whether the property is declared by the entity, or by a parent that is new.
    private func isOwn(_ property: NSPropertyDescription, _ entity: EntityMatch) -> Bool {
        guard let declaring = property.entity, declaring !== entity.destination else { return true }
        return match.match(of: declaring)?.source == nil
    }

    private func kind(_ property: NSPropertyDescription) -> String {
        switch property {
        case let relationship as NSRelationshipDescription:
            let order = relationship.isToMany && relationship.isOrdered ? "ordered " : ""
            return "\(order)\(relationship.isToMany ? "to-many" : "to-one") relationship to "
                + "'\(relationship.destinationEntity?.name ?? "")'"
        case let attribute as NSDerivedAttributeDescription:
            return "derived attribute (\(attribute.attributeType.displayName))"
        case let attribute as NSAttributeDescription:
            return "attribute (\(attribute.attributeType.displayName))"
        default: return "property"
        }
    }

    private func defaultText(_ property: NSPropertyDescription) -> String {
        guard let attribute = property as? NSAttributeDescription,
            !(attribute is NSDerivedAttributeDescription)
        else { return "" }
        guard let value = attribute.defaultValue, !attribute.defaultPropertyValue.isNull else {
            return ", empty"
        }
        return ", \(value)"
    }

    private func changes(_ old: NSPropertyDescription, _ new: NSPropertyDescription) -> [String] {
        var result: [String] = []
        if old.isOptional != new.isOptional {
            result.append(
                new.isOptional
                    ? "optional" : "required\(new is NSAttributeDescription ? defaultText(new) : "")")
        }
        if old.isTransient != new.isTransient { result.append(new.isTransient ? "transient" : "stored") }
        if kind(old) != kind(new) {
            let isMoved =
                (old as? NSRelationshipDescription)?.destinationEntity.flatMap(match.destination(of:))
                === (new as? NSRelationshipDescription)?.destinationEntity && old is NSRelationshipDescription
            let shape = { (property: NSPropertyDescription) in
                (property as? NSRelationshipDescription).map { [$0.isToMany, $0.isOrdered] } ?? []
            }
            if !isMoved || shape(old) != shape(new) { result.append("\(kind(new)), was \(kind(old))") }
        }
        let inverses = [old, new].map { ($0 as? NSRelationshipDescription)?.inverseRelationship?.name }
        if let old = old as? NSRelationshipDescription, let new = new as? NSRelationshipDescription {
            if (inverses[0] == nil) != (inverses[1] == nil) {
                result.append(inverses[1].map { "inverse '\($0)'" } ?? "no inverse")
            }
            if old.deleteRule != new.deleteRule { result.append("another delete rule") }
        }
        return result
    }

    private func indexSteps(_ old: NSEntityDescription, _ new: NSEntityDescription) -> [MigrationPlan.Step] {
        let constraints = { (entity: NSEntityDescription) in
            Set(entity.uniquenessConstraints.map { NSEntityDescription.names($0).joined(separator: ", ") })
        }
        let added = constraints(new).subtracting(constraints(old)).sorted()
        return added.map { step(new, nil, .addConstraint, "unique: \($0)") }
    }
}
