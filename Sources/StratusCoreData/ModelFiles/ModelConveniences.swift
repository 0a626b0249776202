// Building a model in code, shorter than with Apple's properties alone:
//
//     let model = NSManagedObjectModel()
//     let course = model.addEntity("Course", class: Course.self)
//     course.addAttribute("title", .string, isOptional: false)
//     let chapter = model.addEntity("Chapter")
//     course.addToMany("chapters", chapter, isOrdered: true, deleteRule: .cascadeDeleteRule)
//         .setInverse(chapter.addToOne("course", course))

extension NSManagedObjectModel {
    /// Adds a new entity.
    ///
    /// - Parameters:
    ///   - name: the entity's name.
    ///   - type: the class of its objects, `NSManagedObject` unless said otherwise.
    ///   - parent: the entity that it inherits from, of this model.
    ///   - isAbstract: whether it has no objects of its own.
    @discardableResult
    public func addEntity(
        _ name: String, class type: NSManagedObject.Type? = nil, parent: NSEntityDescription? = nil,
        isAbstract: Bool = false
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.isAbstract = isAbstract
        if let type { entity.setManagedObjectClass(type) }
        entities.append(entity)
        parent?.subentities.append(entity)
        return entity
    }
}

extension NSEntityDescription {
    /// Adds a new attribute.
    ///
    /// - Parameters:
    ///   - name: the attribute's name.
    ///   - type: what it holds.
    ///   - isOptional: whether it may be nil.
    ///   - defaultValue: what a new object starts with, of a type that fits.
    @discardableResult
    public func addAttribute(
        _ name: String, _ type: NSAttributeDescription.AttributeType, isOptional: Bool = true,
        defaultValue: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.type = type
        attribute.isOptional = isOptional
        attribute.defaultValue = defaultValue
        ownProperties.append(attribute)
        return attribute
    }

    /// Adds a new relationship to one object; set its inverse with ``NSRelationshipDescription/setInverse(_:)``.
    @discardableResult
    public func addToOne(
        _ name: String, _ destination: NSEntityDescription, isOptional: Bool = true,
        deleteRule: NSDeleteRule = .nullifyDeleteRule
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = 1
        relationship.isOptional = isOptional
        relationship.deleteRule = deleteRule
        ownProperties.append(relationship)
        return relationship
    }

    /// Adds a new relationship to any number of objects; set its inverse with
    /// ``NSRelationshipDescription/setInverse(_:)``.
    @discardableResult
    public func addToMany(
        _ name: String, _ destination: NSEntityDescription, isOptional: Bool = true, isOrdered: Bool = false,
        deleteRule: NSDeleteRule = .nullifyDeleteRule
    ) -> NSRelationshipDescription {
        let relationship = addToOne(name, destination, isOptional: isOptional, deleteRule: deleteRule)
        relationship.maxCount = 0
        relationship.isOrdered = isOrdered
        return relationship
    }

    /// Adds an index over properties of the entity or of its parents, by their names; names that do not exist are
    /// left out.
    @discardableResult
    public func addIndex(_ name: String, _ properties: [String]) -> NSFetchIndexDescription {
        let known = propertiesByName
        let elements = properties.compactMap { known[$0] }
            .map { NSFetchIndexElementDescription(property: $0, collationType: .binary) }
        let index = NSFetchIndexDescription(name: name, elements: elements)
        indexes.append(index)
        return index
    }
}

extension NSRelationshipDescription {
    /// Makes two relationships each other's inverse.
    @discardableResult
    public func setInverse(_ other: NSRelationshipDescription) -> NSRelationshipDescription {
        inverseRelationship = other
        other.inverseRelationship = self
        return self
    }
}
