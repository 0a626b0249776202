/// Where each property of an entity's objects lives: a slot number for each name.
///
/// Slots are in this order: stored attributes, to-one relationships, to-many relationships, transient attributes,
/// fetched properties; by name within each group. What a row of the store holds are the slots below
/// `storedCount`. Made when the model is frozen, and never changed.
package final class EntityLayout {
    /// The number of the entity, as in the store's `Z_ENT`: depth first over the inheritance, siblings by name
    /// without regard to case, from 1 (Documentation/CoreDataStore.md, 'Entity numbers').
    package let number: Int
    /// The number of the entity at the root of the inheritance.
    package let rootNumber: Int
    /// Kept by the layout, which IDs and objects keep; the model ends the circle when it goes.
    package let entity: NSEntityDescription
    /// The numbers of the entity and all that inherit from it.
    let family: Set<Int>
    /// The properties in slot order.
    package let properties: [NSPropertyDescription]
    /// The slot of each name.
    package let slots: [String: Int]

    /// The class of the objects.
    let objectClass: NSManagedObject.Type

    /// The slots by the addresses of accessors' literals.
    let keys: KeyTable

    /// Stored attributes, derived ones too.
    package let attributes: Range<Int>
    /// The stored attributes that the store computes.
    package let derived: [Int]
    /// To-one relationships.
    package let toOnes: Range<Int>
    /// To-many relationships.
    package let toManys: Range<Int>
    let transients: Range<Int>
    let fetched: Range<Int>
    /// The number of slots that a row holds: attributes and to-one relationships.
    package var storedCount: Int { toOnes.upperBound }
    /// All slots that hold a value of an attribute, stored or not.
    package let defaults: [PropertyValue]
    /// The descriptions by slot, with their class known; nil where the slot is another kind of property.
    package let attributeDescriptions: [NSAttributeDescription?]
    /// The relationships by slot; nil where the slot is another kind of property.
    package let relationshipDescriptions: [NSRelationshipDescription?]

    init(entity: NSEntityDescription, number: Int, rootNumber: Int, family: Set<Int>) {
        self.entity = entity
        self.rootNumber = rootNumber
        self.family = family
        self.number = number
        objectClass = ModelRegistry.objectClass(of: entity)
        var groups: [[NSPropertyDescription]] = Array(repeating: [], count: 5)
        var named: [String: NSPropertyDescription] = [:]
        for property in (entity.superentity?.properties ?? []) + entity.ownProperties {
            named[property.name] = property
        }
        for property in named.values { groups[Self.group(of: property)].append(property) }
        for index in groups.indices { groups[index].sort { $0.name < $1.name } }
        var bounds: [Int] = [0]
        for group in groups { bounds.append((bounds.last ?? 0) + group.count) }
        properties = groups.flatMap { $0 }
        attributes = bounds[0]..<bounds[1]
        toOnes = bounds[1]..<bounds[2]
        toManys = bounds[2]..<bounds[3]
        transients = bounds[3]..<bounds[4]
        fetched = bounds[4]..<bounds[5]
        slots = Dictionary(uniqueKeysWithValues: properties.enumerated().map { ($1.name, $0) })
        keys = KeyTable(properties: properties.count)
        attributeDescriptions = properties.map { $0 as? NSAttributeDescription }
        // The first group's slots are its positions.
        derived = groups[0].indices.filter { groups[0][$0] is NSDerivedAttributeDescription }
        relationshipDescriptions = properties.map { $0 as? NSRelationshipDescription }
        defaults = attributeDescriptions.map { $0?.defaultPropertyValue ?? .null }
    }

    private static func group(of property: NSPropertyDescription) -> Int {
        switch property {
        case let relationship as NSRelationshipDescription: relationship.isToMany ? 2 : 1
        case is NSFetchedPropertyDescription: 4
        default: property.isTransient ? 3 : 0
        }
    }

    /// Whether the slot holds an attribute's value, stored or transient.
    func isAttribute(_ slot: Int) -> Bool { attributes.contains(slot) || transients.contains(slot) }
}

extension NSEntityDescription {
    /// The slots; the model is frozen by the first use.
    package var layout: EntityLayout {
        if let layoutIfFrozen { return layoutIfFrozen }
        if let managedObjectModel {
            managedObjectModel.freezeForUse()
        } else {
            freezeAlone()
        }
        guard let layoutIfFrozen else { fatalError("The entity \(name ?? "?") is in no model.") }
        return layoutIfFrozen
    }

    /// Gives an entity without a model its slots, so that objects without a context can exist.
    private func freezeAlone() {
        layoutIfFrozen = EntityLayout(entity: self, number: 0, rootNumber: 0, family: [0])
    }
}
