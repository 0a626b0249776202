import Foundation

@testable import StratusCoreData

// Models in a few words, for tests.

func attribute(
    _ name: String, _ type: NSAttributeType, optional: Bool = true,
    _ configure: (NSAttributeDescription) -> Void = { _ in }
) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = optional
    configure(attribute)
    return attribute
}

func derived(_ name: String, _ type: NSAttributeType, _ expression: String) -> NSDerivedAttributeDescription {
    let attribute = NSDerivedAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.derivationExpression = Predicates.NSExpression(format: expression)
    return attribute
}

func relationship(
    _ name: String, many: Bool = false, ordered: Bool = false, rule: NSDeleteRule = .nullifyDeleteRule
) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.maxCount = many ? 0 : 1
    relationship.isOrdered = ordered
    relationship.deleteRule = rule
    return relationship
}

func entity(
    _ name: String, _ properties: [NSPropertyDescription] = [], abstract: Bool = false,
    subentities: [NSEntityDescription] = []
) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.subentities = subentities
    entity.properties = properties
    entity.isAbstract = abstract
    return entity
}

/// Joins two relationships as inverses of each other.
func join(
    _ first: NSRelationshipDescription, of owner: NSEntityDescription, _ second: NSRelationshipDescription,
    of other: NSEntityDescription
) {
    first.destinationEntity = other
    second.destinationEntity = owner
    first.inverseRelationship = second
    second.inverseRelationship = first
}

func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities.flatMap(\.withDescendants)
    return model
}
